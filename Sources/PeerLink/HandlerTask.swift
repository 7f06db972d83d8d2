// Hot path: it runs for each request. Budget: 1,200 instructions to run a handler, besides its own.
// See "Hot paths" in Contributing.

import Messaging
import ZeroMQ

/// A task that runs the handlers of received requests, one after the other.
///
/// Most handlers reply without suspending, and a task for each of them would cost more than the rest of its request. A
/// handler begins at once, in a task that waits for work or in a new one, so that messages are handled in the order in
/// which they arrive. A task that was cancelled for one request gets no other.
@MainActor
final class HandlerTask {
    /// The tasks that wait for work.
    @exclusivity(unchecked) private static var idle: [HandlerTask] = []
    /// The number of tasks that are kept for later requests. There are more while many handlers are suspended.
    private static let maximumIdle = 64

    @exclusivity(unchecked) private var request: ReceivedRequest?
    @exclusivity(unchecked) private var continuation: UnsafeContinuation<Void, Never>?
    private var task: Task<Void, Never>?

    private init() {}

    /// Begins to handle a request. A handler that does not suspend has finished when this method returns.
    static func handle(_ request: ReceivedRequest) {
        let task = idle.popLast() ?? HandlerTask()
        request.task = task
        task.request = request
        runningAtOnce { task.resume() }
    }

    func cancel() { task?.cancel() }

    private func resume() {
        if let continuation = continuation.take() { return continuation.resume() }
        task = Task.detached(priority: .userInitiated) { await self.run() }
    }

    private func run() async {
        while true {
            // The scope ends before the task waits. It would otherwise keep its last request, with all that it refers to.
            do {
                guard let request = request.take() else { break }
                MessageContext.bind(request.context)
                do {
                    try await request.target.handle(request.target.responder, request)
                    MessageContext.unbind()
                    request.finish(throwing: nil)
                } catch {
                    MessageContext.unbind()
                    request.finish(throwing: error)
                }
            }
            // A handler can cancel its own task, too.
            guard !Task.isCancelled, Self.idle.count < Self.maximumIdle else { break }
            await withUnsafeContinuation {
                continuation = $0
                Self.idle.append(self)
            }
        }
        task = nil
    }
}
