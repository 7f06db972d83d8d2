import Glibc

/// Watches a file descriptor that belongs to somebody else, such as a pipe whose end of file says that a parent is gone.
@MainActor
public final class DescriptorSource: EventSource {
    nonisolated let descriptor: Int32
    var isDirty = false
    /// `nil` once it is cancelled.
    private var onReadable: (@MainActor () -> Void)?

    /// Watches until ``cancel()``.
    /// - Parameter onReadable: reads what is there; called again for as long as the descriptor stays readable.
    public init(_ descriptor: Int32, onReadable: @escaping @MainActor () -> Void) {
        self.descriptor = descriptor
        self.onReadable = onReadable
        Reactor.shared.add(self)
    }

    /// Ends the watch. Nothing is called afterwards.
    public func cancel() {
        onReadable = nil
        Reactor.shared.remove(self)
    }

    func drain() -> Bool {
        guard let onReadable else { return false }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 0) > 0 else { return false }
        onReadable()
        return true
    }
}
