import Bus
package import Messaging

/// The link as a responder. It sends to the host every message that climbs out of this process, or that is addressed to a
/// service.
@MainActor
package final class LinkResponder: ForwardingResponder {
    private let link: Link
    /// The service that messages are addressed to; `nil` for the responder chain.
    private let service: String?
    /// The user for whom the peer acts with its messages; `nil` for the peer itself.
    private let user: String?

    package init(_ link: Link, service: String? = nil, user: String? = nil) {
        self.link = link
        self.service = service
        self.user = user
    }

    package override func send<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        var frame = frame(.request, M.self, context)
        if let user { try act(for: user, with: &frame) }
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
        var frame = frame(.post, M.self, context)
        do {
            if let user { try act(for: user, with: &frame) }
        } catch {
            link.drops["post for an impossible user", default: 0] += 1
            return
        }
        // Encoding fails only because of a mistake in the message's own type. Such a message is dropped.
        guard let bytes = try? frame.encoded(payload: message, names: link.traffic.texts.names.count) else {
            link.drops["unencodable post", default: 0] += 1
            return
        }
        link.post(bytes, kind: .post, session: frame.session)
        link.onPost?(frame.name, context)
    }

    /// Makes a frame's message the user's own act, and no consequence of a message that is being handled.
    private func act(for user: String, with frame: inout Frame) throws(MessageError) {
        // A longer name would be cut, and be that of another user.
        if let problem = MessageActor.problem(withUser: user) {
            throw MessageError(.malformed, message: frame.name, detail: problem)
        }
        frame.actor = user
        frame.parent = 0
        if frame.flags.contains(.passedOn) {
            frame.flags.remove(.passedOn)
            // They are those of the message that is being handled.
            (frame.session, frame.token, frame.sender) = ("", 0, "")
            frame.messageID = frame.messageID.map { _ in .new() }
        }
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
            kind, name: service.map { "\($0)/\(name)" } ?? name, isAddressed: service != nil,
            nameIndex: hasIndex ? link.traffic.texts.names.index(of: name, at: M.index) : .none,
            session: session, sender: context.sender,
            token: session.isEmpty ? 0 : link.tokens[session] ?? 0, delivery: M.delivery,
            flags: received == nil ? Frame.Flags(rawValue: 0) : .passedOn, parent: context.causeID,
            trace: context.trace?.child() ?? .newTrace(), messageID: context.messageID)
    }
}
