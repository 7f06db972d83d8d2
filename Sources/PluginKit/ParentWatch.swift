import Glibc
import ZeroMQ

/// Notices when the host that started this process is gone.
///
/// The host holds the write end of this process's standard input, so the input ends when the host dies, for any reason.
@MainActor
final class ParentWatch {
    private var source: DescriptorSource?

    /// - Parameter onEnd: called once, when the host is gone.
    init(onEnd: @escaping @MainActor () -> Void) {
        source = DescriptorSource(STDIN_FILENO) { [weak self] in
            var buffer: (UInt64, UInt64) = (0, 0)
            guard read(STDIN_FILENO, &buffer, 16) <= 0 else { return }
            self?.cancel()
            onEnd()
        }
    }

    func cancel() {
        source?.cancel()
        source = nil
    }
}
