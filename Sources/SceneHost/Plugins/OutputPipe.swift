import PeerLink
import Glibc
import SystemPackage
import ZeroMQ

/// The pipe for one output stream of a process.
///
/// It reads whenever data is available, so that the process never blocks on a write. It forwards the data to its owner,
/// and as lines with the process's name to this process's standard error.
@MainActor
final class OutputPipe {
    /// The maximum number of bytes per read, so that a process that writes without pause does not block the loop.
    private static let readSize = 16 << 10
    /// The maximum number of reads after the process has ended, which empty a full pipe. Later output of its child
    /// processes is ignored.
    private static let lastReads = 8

    /// The end to which the process writes.
    let writeEnd: FileDescriptor
    private let readEnd: Int32
    private var source: DescriptorSource?
    private var isWriteEndOpen = true
    private let onBytes: @MainActor (UnsafeRawBufferPointer) -> Void
    private var lines: NamedLines
    private lazy var timer = LoopTimer { [weak self] in self?.lookAgain() }

    /// - Parameters:
    ///   - name: the name of the process in this process's log.
    ///   - onBytes: called with what was read.
    /// - Throws: `Errno` when no descriptor is available.
    init(name: String, onBytes: @escaping @MainActor (UnsafeRawBufferPointer) -> Void) throws {
        let ends = try FileDescriptor.pipe()
        // A process that inherited one of the ends would keep it open.
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        readEnd = ends.readEnd.rawValue
        writeEnd = ends.writeEnd
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
        self.onBytes = onBytes
        lines = NamedLines(name: name)
        source = DescriptorSource(readEnd) { [weak self] in self?.read() }
    }

    /// Closes this process's write end after the child process has its own copy, or when it will not be started.
    func closeWriteEnd() {
        guard isWriteEndOpen else { return }
        isWriteEndOpen = false
        try? writeEnd.close()
    }

    /// Reads the remaining data and closes the pipe after the process has ended.
    func finish() {
        closeWriteEnd()
        for _ in 0..<Self.lastReads {
            guard source != nil, readOnce() == .bytes else { break }
        }
        endWatch()
        close(readEnd)
        timer.cancel()
        Self.pass(lines.finish())
    }

    private enum Outcome {
        case bytes, nothing, end
    }

    private func read() {
        // The write end is closed: stop watching, because a descriptor that stays readable would keep the loop busy.
        if readOnce() == .end { endWatch() }
    }

    private func readOnce() -> Outcome {
        withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 1) { buffer in
            let count = Glibc.read(readEnd, buffer.baseAddress, buffer.count)
            guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .end }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            Self.pass(lines.add(bytes, at: .now))
            if let due = lines.due { timer.set(noLaterThan: due) }
            onBytes(bytes)
            return .bytes
        }
    }

    private func lookAgain() {
        Self.pass(lines.lookAgain(at: .now))
        if let due = lines.due { timer.set(for: due) }
    }

    private static func pass(_ lines: [UInt8]) {
        guard !lines.isEmpty else { return }
        lines.withUnsafeBytes { StandardError.pass($0) }
    }

    private func endWatch() {
        source?.cancel()
        source = nil
    }
}
