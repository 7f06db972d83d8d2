import Bus
package import Messaging

/// The link as a responder. It sends to the host every message that climbs out of this process, or that is addressed to a
/// service.
@MainActor
package final class LinkResponder: ForwardingResponder {
    private let link: Link
    /// The service that messages are addressed to; `nil` for the responder chain.
    private let service: String?

    package init(_ link: Link, service: String? = nil) {
        self.link = link
        self.service = service
    }

    package override func send<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        let frame = frame(.request, M.self, context)
        let reply = try link.begin(frame, message, timeout: context.timeout)
        let payload: ArraySlice<UInt8>
        do {
            payload = try await reply.value()
        } catch {
            throw Self.reached(error, context)
        }
        return try M.reply(from: payload)
    }

    package override func forward<M: ResponderPost>(_ message: M, context: MessageContext) {
        let frame = frame(.post, M.self, context)
        // Encoding fails only because of a mistake in the message's own type. Such a message is dropped.
        guard let bytes = try? frame.encoded(payload: message, names: link.traffic.texts.names.count) else {
            link.drops["unencodable post", default: 0] += 1
            return
        }
        link.post(bytes, kind: .post, session: frame.session)
        link.onPost?(frame.name, context)
    }

    /// Makes a frame without its payload.
    // Inlined, because the copy of a frame costs as much as its encoding.
    @inline(__always)
    private func frame<M: ResponderMessage>(_ kind: FrameKind, _: M.Type, _ context: MessageContext) -> Frame {
        let session = context.session ?? ""
        let received = context.remote?.requestID
        let name = M.name
        // What may be sent again on another link has its name.
        let hasIndex = service == nil && M.delivery == .atMostOnce
        return Frame(
            kind, name: service.map { "\($0)/\(name)" } ?? name,
            nameIndex: hasIndex ? link.traffic.texts.names.index(of: name, at: M.index) : .none,
            session: session, sender: context.sender,
            token: session.isEmpty ? 0 : link.tokens[session] ?? 0, delivery: M.delivery,
            flags: received == nil ? Frame.Flags(rawValue: 0) : .passedOn, parent: context.causeID,
            trace: context.trace?.child() ?? .newTrace(), messageID: context.messageID)
    }
}
