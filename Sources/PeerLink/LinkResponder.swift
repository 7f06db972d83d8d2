import Bus
import CBOR
package import Messaging

/// The link as a responder. It sends every message that climbs out of this process to the host.
@MainActor
package final class LinkResponder: ForwardingResponder {
    private let link: Link
    /// The service that messages are addressed to; `nil` for the responder chain.
    private let service: String?

    package init(_ link: Link, service: String? = nil) {
        self.link = link
        self.service = service
    }

    package override func forward<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        let frame = frame(.request, M.self, context: context)
        let bytes = try frame.encoded(payload: message)
        let reply: ArraySlice<UInt8>
        do {
            reply = try await link.request(
                bytes, message: M.name, session: frame.session, delivery: M.delivery, timeout: context.timeout)
        } catch let error as MessageError where error.code == .unhandled && error.message == M.name {
            // An error about another message comes from this message's handler, which has sent that one.
            throw error.reached(through: context.path)
        }
        do {
            return try CBORDecoder().decode(MessageReply<M>.self, from: reply).value
        } catch {
            let detail = "its reply cannot be read: \(String(explaining: error))"
            throw MessageError(.malformed, message: M.name, detail: detail, mayHaveBeenHandled: true)
        }
    }

    package override func forward<M: ResponderPost>(_ message: M, context: MessageContext) {
        // Encoding fails only because of a mistake in the message's own type. Such a message is dropped.
        let frame = frame(.post, M.self, context: context)
        guard let bytes = try? frame.encoded(payload: message) else { return }
        link.post(bytes, kind: .post, session: frame.session)
    }

    private func frame<M: ResponderMessage>(_ kind: FrameKind, _: M.Type, context: MessageContext) -> Frame {
        var frame = Frame(kind)
        frame.name = service.map { "\($0)/\(M.name)" } ?? M.name
        frame.session = context.session ?? ""
        frame.sender = context.sender
        frame.token = link.tokens[frame.session] ?? 0
        frame.delivery = M.delivery
        frame.messageID = context.messageID
        if let remote = context.remote {
            frame.flags.insert(.passedOn)
            frame.parent = remote.requestID
        }
        frame.trace = context.trace?.child() ?? .newTrace()
        return frame
    }
}
