import PeerLink
import Glibc
import SystemPackage
import ZeroMQ

/// One output of a process: reads it whenever there is something, so that the process never waits for a reader, passes it on to
/// this process's standard error, and hands it to its owner.
@MainActor
final class OutputPipe {
    /// Read at a time: a process that writes without end shares the loop with everything else.
    private static let readSize = 16 << 10
    /// Read at the end of the process at most: what a pipe holds. What its own children write later is not waited for.
    private static let lastReads = 8

    /// What the process writes to.
    let writeEnd: FileDescriptor
    private let readEnd: Int32
    private var source: DescriptorSource?
    private var isWriteEndOpen = true
    private let onBytes: @MainActor (UnsafeRawBufferPointer) -> Void

    /// - Throws: `Errno` when there is no descriptor left.
    init(onBytes: @escaping @MainActor (UnsafeRawBufferPointer) -> Void) throws {
        let ends = try FileDescriptor.pipe()
        // A process that inherited one would keep it open.
        for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        readEnd = ends.readEnd.rawValue
        writeEnd = ends.writeEnd
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
        self.onBytes = onBytes
        source = DescriptorSource(readEnd) { [weak self] in self?.read() }
    }

    /// The process has its own copy of the writing end, or will not be started.
    func closeWriteEnd() {
        guard isWriteEndOpen else { return }
        isWriteEndOpen = false
        try? writeEnd.close()
    }

    /// The process has ended: reads what is left, and closes.
    func finish() {
        closeWriteEnd()
        for _ in 0..<Self.lastReads {
            guard source != nil, readOnce() == .bytes else { break }
        }
        endWatch()
        close(readEnd)
    }

    private enum Outcome {
        case bytes, nothing, end
    }

    private func read() {
        // Its other end is closed: a descriptor that stays readable would keep the loop busy.
        if readOnce() == .end { endWatch() }
    }

    private func readOnce() -> Outcome {
        withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 1) { buffer in
            let count = Glibc.read(readEnd, buffer.baseAddress, buffer.count)
            guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .end }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            StandardError.pass(bytes)
            onBytes(bytes)
            return .bytes
        }
    }

    private func endWatch() {
        source?.cancel()
        source = nil
    }
}
