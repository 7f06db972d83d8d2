// Hot path: it runs for each request. Budget: 3,600 instructions to wait for a reply, with its cancellation.
// See "Hot paths" in Contributing.

import CTasks

/// The reply to a request that was sent to another process. The request's caller waits for it.
@MainActor
public final class PendingReply {
    // Overlapping accesses are not checked, because the checks would run for each request. They cannot occur: nothing
    // else is called while one of these is accessed.

    /// The id of the request.
    @exclusivity(unchecked) private var id: UInt64 = 0
    private let side: any RequestSide
    /// The request's context.
    @exclusivity(unchecked) var context: MessageContext?
    // `nonisolated(unsafe)` is safe for these three: only methods that run on the main actor use them. `value(of:)` checks
    // it for `store`, which is not declared so, because the runtime would check the actor of a closure for each request.
    @exclusivity(unchecked) nonisolated(unsafe) private var ended: End?
    @exclusivity(unchecked) nonisolated(unsafe) private var isAwaited = false
    // An unsafe continuation saves an allocation. It is resumed once, because a request ends once.
    @exclusivity(unchecked) nonisolated(unsafe) private var continuation:
        UnsafeContinuation<ArraySlice<UInt8>, any Error>?

    nonisolated private static let mainExecutor = MainActor.sharedUnownedExecutor

    /// - Parameter side: What sends the request, and is told to cancel it.
    package init(_ side: any RequestSide) {
        self.side = side
    }

    /// Sets the id of the request, before the caller waits.
    // Not a settable property, because the runtime would check each access from another module.
    package func setID(_ id: UInt64) { self.id = id }

    /// Ends the request with its reply. Either this or ``fail(with:)`` is called, once.
    package func end(with payload: ArraySlice<UInt8>) { end(.reply(payload)) }

    /// Ends the request with an error.
    package func fail(with error: any Error) { end(.failure(error)) }

    private func end(_ end: End) {
        if let continuation = continuation.take() {
            end.resume(continuation)
        } else {
            ended = end
        }
    }

    /// How the request has ended.
    // Not a `Result`: to copy one, the runtime would make its type, and search all conformances of the process to see that
    // `any Error` is an `Error`.
    private enum End {
        case reply(ArraySlice<UInt8>)
        case failure(any Error)

        func resume(_ continuation: UnsafeContinuation<ArraySlice<UInt8>, any Error>) {
            switch self {
            case .reply(let payload): continuation.resume(returning: payload)
            case .failure(let error): continuation.resume(throwing: error)
            }
        }
    }

    /// Waits for the reply. Call it once, on the main actor. If the caller's task is cancelled, so is the request.
    /// - Parameter message: The type of the request.
    /// - Returns: The reply of the responder that handled the request.
    /// - Throws: ``MessageError`` for an error of the bus, ``RemoteError`` for an error of the handler.
    // Both functions run on the main actor, like their callers. They are not declared so, because an asynchronous
    // function of the main actor checks its executor when it begins, and its caller when it has returned.
    public nonisolated(nonsending) func value<M: ResponderRequest>(of message: M.Type) async throws -> M.Reply {
        // Both types are a reference and a word.
        let executor = unsafeBitCast(Self.mainExecutor, to: scenebus_executor.self)
        precondition(scenebus_is_current_executor(executor), "a reply is awaited on the main actor")
        return try M.reply(from: try await payload())
    }

    /// Waits for the payload of the reply.
    // Inlined, because each asynchronous function costs 200 to 250 instructions. Between `add` and `remove`, this
    // function must allocate nothing that it does not free; see `CTasks`.
    @inline(__always)
    package nonisolated(nonsending) func payload() async throws -> ArraySlice<UInt8> {
        let cancellation = CancellationContext.add(self)
        defer { CancellationContext.remove(cancellation, of: self) }
        do { return try await withUnsafeThrowingContinuation(store) } catch { throw await reached(error) }
    }

    /// The error of a request that another process has ended.
    private func reached(_ error: any Error) -> any Error {
        // An error about another message comes from this message's handler, which has sent that one.
        guard let context, let error = error as? MessageError, error.code == .unhandled,
            error.message == context.message
        else { return error }
        return error.reached(through: context.path)
    }

    nonisolated private func store(_ continuation: UnsafeContinuation<ArraySlice<UInt8>, any Error>) {
        precondition(!isAwaited, "a reply is awaited once")
        isAwaited = true
        // It may have been cancelled before.
        if let ended = ended.take() { return ended.resume(continuation) }
        self.continuation = continuation
    }

    /// Cancels the request. It can be called from any thread.
    fileprivate nonisolated func cancel() {
        // Runs at once when the main actor cancels. Otherwise the caller could still get a reply that arrives in the same
        // turn of the loop. A caller that has left the tree no longer receives changes of the container, so it would get
        // the reply without the changes that the request's handler has made.
        Task.immediate { @MainActor in side.cancel(id) }
    }
}

/// Sends requests, which their callers can cancel.
@MainActor
package protocol RequestSide: AnyObject, Sendable {
    /// Cancels a request.
    /// - Parameter id: `nil` if it was not sent yet.
    func cancel(_ id: UInt64?)
}

/// Calls ``PendingReply/cancel()`` when a task is cancelled.
private enum CancellationContext {
    private static let isInstalled: Void = scenebus_set_cancellation_handler { context in
        // Whoever adds a reply keeps it alive until it is removed.
        if let context { Unmanaged<PendingReply>.fromOpaque(context).takeUnretainedValue().cancel() }
    }

    /// Adds a reply to the current task. See `CTasks` for the rules.
    static func add(_ reply: PendingReply) -> UnsafeMutableRawPointer? {
        _ = isInstalled
        return scenebus_add_cancellation_context(Unmanaged.passUnretained(reply).toOpaque())
    }

    /// Removes a reply, which must be alive until then.
    static func remove(_ record: UnsafeMutableRawPointer?, of reply: PendingReply) {
        // In a function without an actor, because the runtime would check the closure's actor for each request.
        withExtendedLifetime(reply) { scenebus_remove_cancellation_context(record) }
    }
}
