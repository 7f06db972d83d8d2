/// Collects what arrives on the main actor, and lets a test wait for it.
@MainActor
final class Inbox<Element: Sendable> {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation
    /// How much has arrived, taken or not.
    private(set) var count = 0

    init(of type: Element.Type = Element.self) {
        (stream, continuation) = AsyncStream.makeStream(of: type)
    }

    func put(_ element: Element) {
        count += 1
        continuation.yield(element)
    }

    /// Waits for the next ones.
    func take(_ count: Int) async -> [Element] {
        var taken: [Element] = []
        for await element in stream {
            taken.append(element)
            if taken.count == count { break }
        }
        return taken
    }
}

/// Holds something that a closure needs before it is there.
@MainActor
final class Slot<Value> {
    var value: Value?

    init(_ value: Value? = nil) {
        self.value = value
    }
}
