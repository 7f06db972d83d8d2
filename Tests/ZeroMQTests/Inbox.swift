/// Collects elements that arrive on the main actor, and lets a test wait for them.
@MainActor
final class Inbox<Element: Sendable> {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation
    /// The number of elements that have arrived, taken or not.
    private(set) var count = 0

    init(of type: Element.Type = Element.self) {
        (stream, continuation) = AsyncStream.makeStream(of: type)
    }

    func put(_ element: Element) {
        count += 1
        continuation.yield(element)
    }

    /// Waits for the next elements.
    func take(_ count: Int) async -> [Element] {
        var taken: [Element] = []
        for await element in stream {
            taken.append(element)
            if taken.count == count { break }
        }
        return taken
    }
}

/// Holds a value that a closure needs before the value exists.
@MainActor
final class Slot<Value> {
    var value: Value?

    init(_ value: Value? = nil) {
        self.value = value
    }
}
