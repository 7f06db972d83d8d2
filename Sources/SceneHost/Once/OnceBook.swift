import Bus
import Hub
import Messaging
import Foundation
import PeerLink
import ZeroMQ

/// Carries out what ``OnceTable`` decides: writes to the store, forwards requests, and replies.
@MainActor
final class OnceBook: RequestLedger {
    private var table: OnceTable
    private let writer: StoreWriter
    private unowned let hub: Hub
    private unowned let upstream: HostChain
    /// The keys of the requests of each link, by their ids on the link, to find a request that its sender cancels.
    private var keys: [UInt64: [UInt64: RequestKey]] = [:]
    /// Requests that were forwarded and have no reply yet.
    ///
    /// `link` and `id` identify the handler in this process; `forward` is the id of the forward if another process
    /// handles the request.
    private var begun: [RequestKey: (link: UInt64, id: UInt64, forward: UInt64?, isCancelled: Bool)] = [:]
    /// The wall-clock time and the monotonic time at the start. Records age by the monotonic clock.
    private let start = (time: Int64(Date().timeIntervalSince1970), instant: MonotonicInstant.now)
    /// Expires records also when no further request arrives.
    private lazy var timer = LoopTimer { [weak self] in
        guard let self else { return }
        perform(table.expire(at: now))
    }

    init(limits: OnceTable.Limits, writer: StoreWriter, hub: Hub, upstream: HostChain, isKept: Bool) {
        table = OnceTable(limits: limits, isKept: isKept)
        self.writer = writer
        self.hub = hub
        self.upstream = upstream
    }

    var count: Int { table.count }

    /// The records of all requests, without their replies.
    var records: [RequestRecord] {
        table.all.map { RequestRecord(peer: $0.key.peer, id: $0.key.id, message: $0.message, time: $0.time) }
    }

    /// The longest timeout that a request on record may have.
    var window: Duration { .seconds(table.limits.window) }

    /// Reads the records of earlier hosts.
    func load() async throws {
        let records = try await writer.store.requests().map { stored in
            OnceTable.Restored(
                key: RequestKey(peer: stored.record.peer, id: stored.record.id), message: stored.record.message,
                time: stored.record.time, replySize: stored.replySize)
        }
        perform(table.restore(records, at: now))
    }

    private var now: Int64 { start.time + (MonotonicInstant.now - start.instant).components.seconds }

    func received(
        _ frame: Frame, from link: HubLink, deadline: MonotonicInstant, now: MonotonicInstant
    ) {
        let waiter = OnceTable.Waiter(link: link.id, id: frame.id, session: frame.session)
        guard let id = frame.messageID else {
            return perform([
                .fail(waiter, MessageError(.malformed, message: frame.name, detail: "it has no message id"))
            ])
        }
        guard deadline > now else {
            return perform([
                .fail(waiter, MessageError(.timeout, message: frame.name, detail: "it arrived after its deadline"))
            ])
        }
        let key = RequestKey(peer: link.name, id: id)
        keys[link.id, default: [:]][frame.id] = key
        // The sender's estimate of this host's clock is not exact: shorten a deadline that is slightly too late.
        let latest = now + window
        let deadline = deadline > latest && deadline - latest <= RequestRouter.clockMargin ? latest : deadline
        var frame = frame
        frame.deadline = hub.clock.microseconds(at: deadline)
        let timeLeft = (deadline - now).components.seconds
        perform(
            table.received(
                frame, key: key, share: link.lastingSharer, user: MessageActor(text: frame.actor)?.user, from: waiter,
                timeLeft: timeLeft, at: self.now))
    }

    /// Whether a request has no record and would get one.
    func isNew(_ frame: Frame, from link: HubLink) -> Bool {
        frame.messageID.map { table.isNew(frame, key: RequestKey(peer: link.name, id: $0)) } ?? false
    }

    /// Cancels a request whose sender no longer waits for the reply.
    func cancel(_ id: UInt64, from link: HubLink) {
        guard let key = keys[link.id]?[id] else { return }
        table.cancelled(key)
        guard let request = begun[key] else { return }
        begun[key]?.isCancelled = true
        upstream.cancel(request.id, of: request.link)
        if let forward = request.forward { hub.router.cancelForward(forward) }
    }

    /// Whether a request with this id is pending for a link.
    func has(_ id: UInt64, of link: HubLink) -> Bool { !keys.isEmpty && keys[link.id]?[id] != nil }

    /// Notes that a request was forwarded to another process.
    func forwarded(_ key: RequestKey, as id: UInt64) {
        begun[key]?.forward = id
    }

    /// Handles the reply to a request, or its failure.
    func ended(_ key: RequestKey, with end: Frame) {
        let wasCancelled = begun.removeValue(forKey: key)?.isCancelled == true
        guard wasCancelled, end.kind == .failure else { return perform(table.ended(key, with: end)) }
        // The failure of a handler that was cancelled does not say that nothing was done: others whom it has asked may go on.
        let error = MessageError(
            .timeout, message: end.name, detail: "its sender has left", mayHaveBeenHandled: true)
        perform(table.ended(key, with: .failure(error, of: end.name)))
    }

    private func perform(_ actions: [OnceTable.Action]) {
        for action in actions { perform(action) }
        arm()
    }

    private func arm() {
        // A timer that is set is set for the oldest record, so it never has to be set for an earlier time.
        guard timer.deadline == nil, let due = table.nextExpiry(at: now) else { return }
        timer.set(for: start.instant + .seconds(due - start.time))
    }

    /// Stops expiring records when the host shuts down.
    func stop() { timer.cancel() }

    private func perform(_ action: OnceTable.Action) {
        switch action {
        case .write(let key, let message, let time):
            let record = RequestRecord(peer: key.peer, id: key.id, message: message, time: time)
            writer.write(.addRequest(record)) { [self] in perform(table.written(key, error: $0)) }
        case .handOn(let key, let frame, let link):
            if hub.router.leavesToNextLife(frame, from: link) { return perform(table.withdrawn(key)) }
            let deadline = hub.clock.instant(of: frame.deadline)
            begun[key] = (link, frame.id, nil, false)
            hub.router.carry(frame, from: link, origin: .once(key), deadline: deadline, now: .now)
        case .writeReply(let key, let frame):
            writer.write(.addReply(frame.encoded(), to: key.id, from: key.peer)) { [self] in
                perform(table.replyWritten(key, error: $0))
            }
        case .delete(let key):
            // If this fails, the next host replies to a copy that the request may have been handled.
            writer.write(.deleteRequest(key.id, from: key.peer)) { _ in }
        case .answer(let waiter, let frame):
            answer(waiter, with: frame)
        case .answerFromRecord(let waiter, let key, let message):
            Task {
                var detail = "the record of its reply does not exist"
                do {
                    if let bytes = try await writer.store.reply(to: key.id, from: key.peer) {
                        return answer(waiter, with: try Frame(bytes))
                    }
                } catch {
                    detail = "the record of its reply cannot be read: \(error)"
                }
                let lost = MessageError(.peerLost, message: message, detail: detail, mayHaveBeenHandled: true)
                answer(waiter, with: .failure(lost, of: message))
            }
        case .fail(let waiter, let error):
            hub.count("failed: \(error.code.rawValue)")
            answer(waiter, with: .failure(error, of: error.message))
        case .redate(let times, let now):
            writer.write(.redateRequests(outside: times, to: now)) { _ in }
        case .forget(let time):
            writer.write(.deleteRequests(before: time)) { _ in }
        }
    }

    private func answer(_ waiter: OnceTable.Waiter, with end: Frame) {
        keys[waiter.link]?[waiter.id] = nil
        guard let link = hub.links[waiter.link] else {
            return hub.count("dropped: reply to a peer that is gone")
        }
        hub.router.finish(.peer(link, id: waiter.id, session: waiter.session), with: end)
    }

    /// Forgets a link's pending requests. Their handlers continue, because the peer may reconnect and send them again.
    func detached(_ link: HubLink) {
        keys[link.id] = nil
    }
}
