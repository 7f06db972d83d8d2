import Glibc

/// Watches a file descriptor that other code owns, such as a pipe whose end of file means that the parent process is
/// gone.
@MainActor
public final class DescriptorSource: EventSource {
    nonisolated let descriptor: Int32
    var isDirty = false
    /// The function to call; `nil` after ``cancel()``.
    private var onReadable: (@MainActor () -> Void)?

    /// Watches a descriptor until ``cancel()``.
    /// - Parameter onReadable: Reads the available data. It is called again as long as the descriptor stays readable.
    public init(_ descriptor: Int32, onReadable: @escaping @MainActor () -> Void) {
        self.descriptor = descriptor
        self.onReadable = onReadable
        Reactor.shared.add(self)
    }

    /// Stops watching. `onReadable` is not called afterwards.
    public func cancel() {
        onReadable = nil
        Reactor.shared.remove(self)
    }

    func drain() -> HandledEvents {
        guard let onReadable else { return .nothing }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 0) > 0 else { return .nothing }
        onReadable()
        return .all
    }
}
