import Glibc
import SystemPackage
import ZeroMQ

/// A pipe for the output of a process, with a reader that can stop reading, like a paused terminal.
@MainActor
final class PausableOutput {
    /// The end to which the process writes.
    let writeEnd: FileDescriptor
    private let readEnd: FileDescriptor
    private let file: FileDescriptor
    private var source: DescriptorSource?

    /// The pipe's size in bytes. It is the smallest one, so that some lines fill it.
    private static let size: Int32 = 4096
    private static let setSize: Int32 = 1031  // F_SETPIPE_SZ

    /// - Parameter path: the file to which what was read is appended.
    init(path: String) throws {
        file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.append, .create, .closeOnExec], permissions: .ownerReadWrite)
        (readEnd, writeEnd) = try FileDescriptor.pipe()
        for end in [readEnd, writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(writeEnd.rawValue, Self.setSize, Self.size)
        resume()
    }

    func pause() {
        source?.cancel()
        source = nil
    }

    func resume() {
        guard source == nil else { return }
        source = DescriptorSource(readEnd.rawValue) { [weak self] in self?.read() }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Int(Self.size))
        let count = Glibc.read(readEnd.rawValue, &buffer, buffer.count)
        if count > 0 { _ = write(file.rawValue, buffer, count) }
    }

    /// Stops reading, and closes both ends.
    func close() {
        pause()
        for descriptor in [readEnd, writeEnd, file] { try? descriptor.close() }
    }
}
