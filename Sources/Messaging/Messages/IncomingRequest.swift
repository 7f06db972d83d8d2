/// A request that came over a link, with the place for its reply.
///
/// A ``RequestHandler`` decodes the message, calls the handler and sets the reply.
@MainActor
open class IncomingRequest {
    /// Decodes a request, calls its handler, and sets the reply.
    public typealias Handle = @MainActor (Responder, IncomingRequest) async throws -> Void

    /// The responder that handles a request.
    package struct Target {
        package var responder: Responder
        package var handle: Handle
    }

    /// The context in which the handler runs.
    package let context: MessageContext
    /// Released once it is decoded, because it may lie in a message with many others.
    private var payload: ArraySlice<UInt8>
    private var isDecoded = false

    package init(_ payload: ArraySlice<UInt8>, context: MessageContext) {
        self.payload = payload
        self.context = context
    }

    /// Decodes the message. Call it once, because it releases the payload.
    /// - Throws: ``MessageError`` with `malformed` if the payload is not such a message.
    public final func message<M: ResponderRequest>(as type: M.Type) throws -> M {
        let message = try M(payload: payload)
        isDecoded = true
        payload = []
        return message
    }

    /// Sets the reply.
    open func reply<M: ResponderRequest>(_ reply: M.Reply, to message: M.Type) {}

    /// The error with which the request fails when the target's `handle` has thrown.
    package final func failure(_ error: any Error, at target: Target) -> any Error {
        guard isDecoded, target.responder.asForwarder == nil, let error = error as? MessageError else { return error }
        return error.thrown(byHandlerOf: context.message)
    }
}
