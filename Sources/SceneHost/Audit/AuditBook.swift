import Access
import Bus
import Foundation
import Hub
import Messaging

/// Keeps who has done what, and what was refused to whom.
@MainActor
final class AuditBook {
    /// The maximum length of a text of an entry, in characters. Peers write some of them.
    private static let maximumText = 300

    private let hub: Hub
    private let writer: StoreWriter
    private var refusals = AuditedRefusals()
    private var acts = AuditedActs()

    init(hub: Hub, writer: StoreWriter) {
        self.hub = hub
        self.writer = writer
    }

    /// Carries out an action of the peer whose request is being handled, and keeps how it ended.
    /// - Parameter object: what it is done to.
    func keeping<Result>(_ object: String?, _ action: @MainActor () async throws -> Result) async throws -> Result {
        let name = MessageContext.current?.message ?? ""
        let link = try hub.linkOfSender
        do {
            let result = try await action()
            add(link, for: user(of: link), action: name, object: object ?? "", outcome: AuditEntry.done)
            return result
        } catch {
            let hasLeft = error is CancellationError
            add(
                link, for: user(of: link), action: name, object: object ?? "",
                outcome: hasLeft ? "its sender has left, and it may have been done" : "\(error)")
            throw error
        }
    }

    /// Carries out what every key may do for itself, and keeps it if it has changed something. A failure is kept as a refusal:
    /// a peer can ask any number of times.
    /// - Parameters:
    ///   - object: what it is done to.
    ///   - action: returns the result, and whether it has changed something.
    func keeping<Result>(
        _ object: String, of link: HubLink, _ action: @MainActor () throws -> (Result, isNew: Bool)
    ) throws -> Result {
        let name = MessageContext.current?.message ?? ""
        do {
            let (result, isNew) = try action()
            if isNew { add(link, for: user(of: link), action: name, object: object, outcome: AuditEntry.done) }
            return result
        } catch {
            refused(name, of: link, for: user(of: link), "\(error)")
            throw error
        }
    }

    /// Keeps that a message of a peer was refused, unless the same was kept a short time ago.
    /// - Parameter user: the user for whom the peer acted; `nil` for the peer itself.
    func refused(_ message: String, of link: HubLink, for user: String? = nil, _ reason: String) {
        // The names of other messages are a choice of the peer, and all of them are one.
        let kind = ProtocolMessages.contains(message) ? message : ""
        guard refusals.isNew(of: link.sharer, kind, at: .now) else { return }
        add(link, for: user, action: message, object: "", outcome: reason)
    }

    /// The user for whom the peer acted whose request is being handled; `nil` for the peer itself. Where it sends the request because
    /// of a message of another peer, it has no part in that peer's users.
    private func user(of link: HubLink?) -> String? {
        guard let link, let actor = MessageContext.current?.actor, actor.peer == link.name,
            actor.key == link.access?.entry.name
        else { return nil }
        return actor.user
    }

    /// Keeps that a peer with a key was not let in, unless the same was kept a short time ago.
    func refused(_ hello: Hello, _ refusal: Refusal, key: String) {
        guard refusals.isNew(of: "key \(key)", refusal.code.rawValue, at: .now) else { return }
        write(
            peer: hello.peer, key: key, role: hello.role.rawValue, action: "attach", object: "",
            outcome: refusal.reason)
    }

    /// Keeps a change of the list of keys.
    func keys(_ action: String, _ name: String, _ role: String) {
        write(
            peer: "", key: nil, role: "host", action: action, object: "\(name) \(role)", outcome: AuditEntry.done)
    }

    private func add(_ link: HubLink?, for user: String?, action: String, object: String, outcome: String) {
        // A peer of this machine may do everything, also to the store. Its users may not.
        if let link, link.access != nil || user != nil, !acts.allows(link.sharer, for: user, at: .now) {
            return hub.count("dropped: audit entry beyond a key's or a user's share")
        }
        write(
            peer: link?.name ?? "", key: link?.access?.entry.name, user: user,
            role: link?.access?.entry.role.rawValue ?? link?.hello.role.rawValue ?? "host", action: action,
            object: object, outcome: outcome)
    }

    private func write(
        peer: String, key: String?, user: String? = nil, role: String, action: String, object: String, outcome: String
    ) {
        let entry = AuditEntry(
            time: Date().timeIntervalSince1970, peer: peer, key: key, user: user, role: role,
            action: String(action.prefix(Self.maximumText)), object: String(object.prefix(Self.maximumText)),
            outcome: String(outcome.prefix(Self.maximumText)))
        writer.write(.addAudit(entry)) { [hub] error in
            if error != nil { hub.count("dropped: audit entry that could not be written") }
        }
    }

    /// Returns a page of the entries.
    /// - Throws: ``SceneCommandError`` for a place that no page has; ``StoreError``.
    func page(since time: Double?, after place: String?, limit: Int?) async throws -> AuditList {
        let number = try place.map { text in
            guard let number = Int64(text) else { throw SceneCommandError.unknownPage(text) }
            return number
        }
        let count = ListPages.length(limit)
        await writer.finish()
        let entries = try await writer.store.audit(since: time ?? 0, after: number ?? 0, limit: count)
        return AuditList(entries: entries, next: entries.count == count ? entries.last.map { "\($0.number)" } : nil)
    }
}
