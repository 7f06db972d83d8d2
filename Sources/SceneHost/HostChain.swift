import Bus
import CoordinatorKit
import Hub
import Messaging
import PeerLink
import MessageHandling

/// The host's own responder chain, as its hub sees it.
@MainActor
final class HostChain: HubUpstream {
    private let receiver: MessageReceiver
    /// The responder at which messages enter the chain, except those that are addressed to a service.
    private let first: Responder
    private let count: @MainActor (String) -> Void

    /// How peers share the requests that are handled at a time, besides those to the host itself. Each
    /// link's credits are limited, but a handler that ignores its cancellation goes on when the link is gone, and a peer
    /// that comes back has its credits again.
    var shares = FairShare(of: 65_536)
    /// Returns whose share of the requests the peer on a link uses up, and all links that do so; `nil` if the link is gone.
    private let sharing: @MainActor (UInt64) -> (sharer: String, links: [UInt64])?
    /// The links that are gone with requests that are still being handled, by whose share these use up.
    private var abandoned: [String: [UInt64]] = [:]

    /// - Parameters:
    ///   - lists: the messages that the chain can decode.
    ///   - delegate: the application's delegate, at the top of the chain.
    ///   - absent: returns the plugin that handles a message as its manifest says, and is not attached; `nil` if there is
    ///     none.
    ///   - sharing: returns whose share of the requests the peer on a link uses up, and all links that do so.
    ///   - revision: returns the revision of the host's container.
    ///   - count: increments the counter with this name when a frame is dropped.
    init(
        first: Responder, handles lists: [any ResponderMessageList.Type], delegate: AppDelegate,
        absent: @escaping @MainActor (_ message: String) -> String?,
        sharing: @escaping @MainActor (UInt64) -> (sharer: String, links: [UInt64])?,
        revision: @escaping @MainActor () -> UInt64,
        count: @escaping @MainActor (String) -> Void
    ) {
        self.first = first
        self.sharing = sharing
        self.count = count
        receiver = MessageReceiver(revision: revision)
        for list in lists { receiver.registry.add(list) }
        let custom = type(of: delegate) == AppDelegate.self ? nil : delegate.className
        receiver.adviceOnUnknown = { Self.advice(on: $0, delegate: custom, absent: absent($0)) }
    }

    /// What to do about a message that no attached process handles, and that this one cannot decode.
    /// - Parameters:
    ///   - delegate: the class of the application's delegate; `nil` for one that handles nothing.
    ///   - absent: the plugin that handles it and is not attached.
    private static func advice(on message: String, delegate: String?, absent: String?) -> String {
        if let absent { return "'\(absent)' handles it, and is not attached: see 'scenebus plugins ls'" }
        var advice: [String] = []
        if ProtocolMessages.isNamedAsOfHost(message) {
            advice.append(
                "if it is a message of SceneBus, its sender is newer than this host, which is of version "
                    + "\(SceneBusVersion.current): build the host anew, and start it again")
        }
        if let delegate {
            advice.append(
                "if \(delegate) handles it, pass the list of its messages to AppHost as 'handles:', and build and start the "
                    + "host anew")
        }
        return advice.joined(separator: "; ")
    }

    func knows(_ request: Frame) -> Bool {
        request.isAddressed ? start(of: request) != nil : receiver.registry.request(request.name) != nil
    }

    func receive(
        _ request: Frame, from link: UInt64, actor: String, timeLeft: Duration, sender: any RequestSender
    ) {
        guard let start = start(of: request) else {
            let detail = "no peer offers the service '\(request.serviceName ?? "")'"
            let error = MessageError(.unhandled, message: String(request.messageName), detail: detail)
            return sender.end(request.id, request.name, with: .failure(error))
        }
        guard
            shares.allowsAll(used: receiver.runningCount) || hasShare(link)
                || ProtocolMessages.hostRequests.contains(request.name)
        else {
            let detail = "the host is handling \(receiver.runningCount) requests, and the share of this peer is used up"
            let error = MessageError(.overloaded, message: request.name, detail: detail)
            return sender.end(request.id, request.name, with: .failure(error))
        }
        receiver.receive(request, link: link, actor: actor, at: start, timeLeft: timeLeft, from: sender)
    }

    func receive(post: Frame, actor: String) {
        guard let start = start(of: post) else { return UnhandledPosts.shared.count(post.name) }
        do {
            try receiver.receive(post: post, actor: actor, at: start)
        } catch let error as MessageError where error.code == .unhandled {
            UnhandledPosts.shared.count(post.name)
            if case .request = receiver.registry.kind(of: String(post.messageName)) {
                count("dropped: post of a message that is a request")
            }
        } catch {
            count("dropped: unreadable post")
        }
    }

    func isHandling(_ id: UInt64, of link: UInt64) -> Bool { receiver.isHandling(id, of: link) }

    func cancel(_ id: UInt64, of link: UInt64) { receiver.cancel(id, link: link) }

    func cancelAll(of link: UInt64, sharing sharer: String) {
        receiver.cancelAll(link: link)
        if receiver.runningCount(of: link) > 0 { abandoned[sharer, default: []].append(link) }
        // Those stay that have not noticed their cancellation yet or ignore it, and those of `@Once`, which are not cancelled.
        for sharer in abandoned.keys {
            abandoned[sharer]?.removeAll { receiver.runningCount(of: $0) == 0 }
            if abandoned[sharer]?.isEmpty == true { abandoned[sharer] = nil }
        }
    }

    /// Returns whether a peer may have one more request handled, with those of all links that have its share, also of earlier
    /// ones.
    private func hasShare(_ link: UInt64) -> Bool {
        // A link may be gone while the record of its request was written.
        let (sharer, links) = sharing(link) ?? ("", [link])
        let held = (links + abandoned[sharer, default: []]).reduce(0) { $0 + receiver.runningCount(of: $1) }
        return shares.allows(toPeerWith: held, used: receiver.runningCount)
    }

    /// The responder at which a message enters the chain.
    /// - Returns: `nil` for a service that this process does not offer.
    private func start(of frame: Frame) -> Responder? {
        guard let service = frame.serviceName else { return first }
        return ServiceDirectory.shared.localResponder(for: String(service))
    }
}
