// Hot path: it runs for each request. Budget: 1,200 instructions to run a handler, besides its own.
// See "Hot paths" in Contributing.

import Bus
import Messaging
import ZeroMQ

/// A task that runs the handlers of received requests, one after the other.
///
/// Most handlers reply without suspending. A task for each of them would cost more than the rest of its request, and to
/// resume a task costs almost as much. The task therefore reads on itself after each handler, until the message ends.
/// When a handler suspends, reading goes on in another task. A handler begins before the next frame is read, so messages
/// are handled in the order in which they arrive. A task that was cancelled for one request gets no other.
@MainActor
final class HandlerTask {
    // Overlapping accesses are not checked, because the checks would run for each request. They cannot occur: nothing
    // else is called while one of these is accessed.

    /// The tasks that wait for work.
    @exclusivity(unchecked) private static var idle: [HandlerTask] = []
    /// The number of tasks that are kept for later requests. There are more while many handlers are suspended.
    private static let maximumIdle = 64

    /// The message that is being read.
    @exclusivity(unchecked) private static var reader: (any MessageReader)?
    /// When the reading of the message pauses; `nil` before its first frame.
    @exclusivity(unchecked) private static var pause: MonotonicInstant?
    /// The request that the last frame contained.
    @exclusivity(unchecked) private static var arrived: ReceivedRequest?

    /// The request that this task handles.
    @exclusivity(unchecked) private var request: ReceivedRequest?
    /// It is taken out before it is resumed, so it is resumed once.
    @exclusivity(unchecked) private var continuation: UnsafeContinuation<Void, Never>?
    private var task: Task<Void, Never>?

    private init() {}

    /// Runs a body in which each handler begins at once, although a message is being read.
    private static func handlingAtOnce(_ body: () -> Void) {
        let outer = reader
        reader = nil
        body()
        reader = outer
    }

    /// Reads a message, at most for some time. The requests in it, which the reader passes to ``handle(_:)``, are handled
    /// on the way.
    /// - Returns: whether the message has been read to its end. If not, call this again before the next message is read.
    static func read(_ reader: any MessageReader) -> Bool {
        // A message is never read within another one. Should it happen, the outer one continues behind it.
        let (outer, outerPause) = (self.reader, pause)
        self.reader = reader
        pause = nil
        repeat {
            while let request = arrived.take() { begin(request) }
        } while readNext()
        self.reader = outer
        pause = outerPause
        return reader.isAtEnd
    }

    /// Reads the next frame of the message.
    /// - Returns: `false` at the end of the message, and when its reading is to pause.
    private static func readNext() -> Bool {
        guard let reader else { return false }
        let now = MonotonicInstant.now
        if let pause {
            guard now < pause else { return false }
        } else {
            pause = now + TurnLimits.message
        }
        return reader.readNext(at: now)
    }

    /// Begins to handle a request. A handler that does not suspend has finished when this method returns, or before the
    /// next frame is read.
    static func handle(_ request: ReceivedRequest) {
        guard reader != nil else { return begin(request) }
        // A frame has at most one request. Should it cause several to be handled, they begin in their order.
        if let earlier = arrived.take() { handlingAtOnce { begin(earlier) } }
        arrived = request
    }

    private static func begin(_ request: ReceivedRequest) {
        let task = idle.popLast() ?? HandlerTask()
        task.request = request
        runningAtOnce { task.resume() }
        if let suspended = task.request { suspended.suspended() }
    }

    /// The next request of the message that is being read.
    private static func nextRequest() -> ReceivedRequest? {
        repeat {
            if let request = arrived.take() { return request }
        } while readNext()
        return nil
    }

    func cancel() { task?.cancel() }

    private func resume() {
        if let continuation = continuation.take() { return continuation.resume() }
        task = Task.detached(priority: .userInitiated) { await self.run() }
    }

    /// Ends this task.
    /// - Parameter request: a request that another task is to handle.
    private func end(before request: ReceivedRequest? = nil) {
        self.request = nil
        task = nil
        guard let request else { return }
        if Self.reader == nil { Self.begin(request) } else { Self.arrived = request }
    }

    private func run() async {
        while true {
            while let request = request ?? Self.nextRequest() {
                // A post that was read on the way may have cancelled this task.
                if Task.isCancelled { return end(before: request) }
                self.request = request
                request.task = self
                do {
                    try await MessageContext.with(request.context) {
                        try await request.target.handle(request.target.responder, request)
                    }
                    self.request = nil
                    request.finish(throwing: nil)
                } catch {
                    self.request = nil
                    request.finish(throwing: error)
                }
                // A handler can cancel its own task, too.
                if Task.isCancelled { return end() }
            }
            guard !Task.isCancelled, Self.idle.count < Self.maximumIdle else { return end() }
            await withUnsafeContinuation {
                continuation = $0
                Self.idle.append(self)
            }
        }
    }
}
