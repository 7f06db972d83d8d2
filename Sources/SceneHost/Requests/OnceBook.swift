import Bus
import CoordinatorKit
import Foundation
import Store

/// Carries out what ``OnceTable`` decides: writes to the store, hands requests on, answers.
@MainActor
final class OnceBook {
    private var table: OnceTable
    private let writer: StoreWriter
    private unowned let router: RequestRouter
    /// The keys of the requests of each link, by their ids there, to find the one that its sender cancels.
    private var keys: [UInt64: [UInt64: OnceTable.Key]] = [:]

    init(limits: OnceTable.Limits, writer: StoreWriter, router: RequestRouter) {
        table = OnceTable(limits: limits)
        self.writer = writer
        self.router = router
    }

    var count: Int { table.count }

    /// Reads the records of earlier hosts.
    func load() async throws {
        for (record, hasReply) in try await writer.store.requests() {
            table.restore(
                OnceTable.Key(peer: record.peer, id: record.id), message: record.message, time: record.time,
                hasReply: hasReply)
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    func received(
        _ frame: Frame, from link: HostLink, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) {
        let waiter = OnceTable.Waiter(link: link.id, id: frame.id, session: frame.session)
        guard let id = frame.messageID else {
            return perform([
                .fail(waiter, MessageError(.malformed, message: frame.name, detail: "it has no message id"))
            ])
        }
        guard deadline > now else {
            return perform([
                .fail(waiter, MessageError(.timeout, message: frame.name, detail: "it came after its deadline"))
            ])
        }
        let key = OnceTable.Key(peer: link.name, id: id)
        keys[link.id, default: [:]][frame.id] = key
        var frame = frame
        frame.deadline = router.server.clock.microseconds(at: deadline)
        let timeLeft = (deadline - now).components.seconds
        perform(table.received(frame, key: key, from: waiter, timeLeft: timeLeft, at: Self.now))
    }

    /// The request that a peer knows by this id.
    func key(of id: UInt64, from link: HostLink) -> OnceTable.Key? {
        keys[link.id]?[id]
    }

    /// A request has ended.
    func ended(_ key: OnceTable.Key, with end: Frame) {
        perform(table.ended(key, with: end))
    }

    private func perform(_ actions: [OnceTable.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: OnceTable.Action) {
        switch action {
        case .write(let key, let message, let time):
            let record = RequestRecord(peer: key.peer, id: key.id, message: message, time: time)
            writer.write(.addRequest(record)) { [self] in perform(table.written(key, error: $0)) }
        case .handOn(let key, let frame, let link):
            let deadline = router.server.clock.instant(of: frame.deadline)
            router.carry(frame, from: link, origin: .once(key), deadline: deadline, now: .now)
        case .writeReply(let key, let frame):
            writer.write(.addReply(frame.encoded(), to: key.id, from: key.peer)) { [self] in
                perform(table.replyWritten(key, error: $0))
            }
        case .answer(let waiter, let frame):
            answer(waiter, with: frame)
        case .answerFromRecord(let waiter, let key):
            Task {
                do {
                    guard let bytes = try await writer.store.reply(to: key.id, from: key.peer) else {
                        throw MessageError(
                            .peerLost, message: "", detail: "its record is gone", mayHaveBeenHandled: true)
                    }
                    answer(waiter, with: try Frame(bytes))
                } catch {
                    answer(waiter, with: .failure(error, of: ""))
                }
            }
        case .fail(let waiter, let error):
            router.server.count("failed: \(error.code.rawValue)")
            answer(waiter, with: .failure(error, of: error.message))
        case .forget(let time):
            writer.write(.deleteRequests(before: time)) { _ in }
        }
    }

    private func answer(_ waiter: OnceTable.Waiter, with end: Frame) {
        keys[waiter.link]?[waiter.id] = nil
        guard let link = router.server.links[waiter.link] else {
            return router.server.count("dropped: reply to a peer that is gone")
        }
        router.finish(.peer(link, id: waiter.id, session: waiter.session), with: end)
    }

    /// A peer is gone: its requests go on, for it may come back and ask.
    func detached(_ link: HostLink) {
        keys[link.id] = nil
    }
}
