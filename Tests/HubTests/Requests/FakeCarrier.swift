import Bus
import CBOR
import Messaging
import ZeroMQ

@testable import Hub
import MessageHandling

/// A hub without sockets: it notes what the router sends, and is the upstream and the ledger as well.
@MainActor
final class FakeCarrier: RequestCarrier {
    /// It started long ago: the clock cannot show a time before its start, such as a deadline that has passed.
    let clock = HostClock(startedAt: .now - .seconds(3600))
    var head: UInt64 = 5
    private(set) var links: [UInt64: HubLink] = [:]

    /// What was sent to each peer, by its name.
    private(set) var sent: [String: [Frame]] = [:]
    private(set) var counts: [String: Int] = [:]
    /// Frames that were routed, because they had waited.
    private(set) var routed: [Frame] = []
    /// Peers whose connections are closed, and peers that read nothing.
    var gone: Set<String> = []
    var full: Set<String> = []
    /// The largest response that is held for a peer that reads nothing, in bytes.
    static let maximumHeld = 1024
    /// The responses that are held for peers that read nothing.
    private(set) var held: [String: [Frame]] = [:]
    private(set) lazy var router = RequestRouter(self)

    func attach(_ name: String, handles: [String] = [], services: [String] = [], credits: Int? = nil) -> HubLink {
        let id = UInt64(links.count + 1)
        let hello = Hello(
            role: .plugin, peer: name, pid: 1, endpoint: "", handles: handles, services: services, credits: credits)
        let link = HubLink(
            id: id, routingID: RoutingID([UInt8(id)]), hello: hello,
            liveness: Liveness(interval: .seconds(1), now: .now))
        links[id] = link
        router.attached(link)
        return link
    }

    func detach(_ link: HubLink) {
        links[link.id] = nil
        link.traffic.isAttached = false
        router.detached(link, reason: "gone")
    }

    func route(_ frame: Frame, from link: HubLink) {
        routed.append(frame)
        router.request(frame, from: link)
    }

    func send(_ frame: Frame, to link: HubLink) -> Sending {
        if gone.contains(link.name) {
            link.traffic.isGone = true
            return .gone
        }
        if full.contains(link.name) { return .noRoom }
        sent[link.name, default: []].append(frame)
        return .sent
    }

    func sendEnd(_ bytes: [UInt8], _ kind: FrameKind, to link: HubLink) -> Bool {
        guard let frame = try? Frame(bytes) else { return false }
        if send(frame, to: link) == .sent { return true }
        guard full.contains(link.name), bytes.count <= Self.maximumHeld else { return false }
        held[link.name, default: []].append(frame)
        return true
    }

    func decoded(_ bytes: ArraySlice<UInt8>, for link: HubLink) -> Frame? { try? Frame(bytes) }

    func count(_ what: String) { counts[what, default: 0] += 1 }

    // MARK: - What tests ask

    func frames(_ name: String, _ kind: FrameKind) -> [Frame] { (sent[name] ?? []).filter { $0.kind == kind } }

    /// The error of the failure that a peer was sent last.
    func error(_ name: String) throws -> MessageError? {
        guard let frame = frames(name, .failure).last else { return nil }
        return try frame.decodePayload(as: FailureEncoding.self).error as? MessageError
    }

    func request(
        _ name: String, id: UInt64 = 7, delivery: MessageDelivery = .atMostOnce, flags: Frame.Flags = [],
        deadline: Duration? = nil, size: Int = 1
    ) -> Frame {
        var frame = Frame(.request)
        frame.id = id
        frame.name = name
        frame.session = "s"
        frame.payload = ArraySlice(repeating: 0, count: size)
        frame.delivery = delivery
        frame.flags.formUnion(flags)
        if let deadline { frame.deadline = clock.microseconds(at: .now + deadline) }
        return frame
    }

    /// The reply of the peer that a request was forwarded to last.
    func reply(to forwarded: Frame, revision: UInt64 = 0) -> Frame {
        var frame = Frame(.reply)
        frame.id = forwarded.id
        frame.payload = [9]
        return frame
    }
}

/// An upstream that keeps what comes to it.
@MainActor
final class FakeUpstream: HubUpstream {
    private(set) var requests: [(frame: Frame, sender: any RequestSender)] = []
    private(set) var posts: [Frame] = []
    private(set) var cancelled: [UInt64] = []
    private(set) var cancelledLinks: [UInt64] = []

    func knows(_ request: Frame) -> Bool { request.name == "known" }

    func receive(
        _ request: Frame, from link: UInt64, actor: String, timeLeft: Duration, sender: any RequestSender
    ) {
        requests.append((request, sender))
    }

    /// Replies to the first request.
    func reply(_ value: Int) throws {
        let request = requests[0].frame
        var frame = Frame(.reply)
        frame.id = request.id
        frame.name = request.name
        frame.session = request.session
        end(0, with: .reply(try frame.encoded(payload: value)))
    }

    /// Ends a request.
    func end(_ index: Int, with end: RequestEnd) {
        let (frame, sender) = requests[index]
        sender.end(frame.id, frame.name, with: end)
    }

    func receive(post: Frame, actor: String) { posts.append(post) }
    func isHandling(_ id: UInt64, of link: UInt64) -> Bool { false }
    func cancel(_ id: UInt64, of link: UInt64) { cancelled.append(id) }
    func cancelAll(of link: UInt64, sharing sharer: String) { cancelledLinks.append(link) }
}
