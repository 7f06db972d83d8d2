import Hub
import Bus
import Messaging
import DequeModule

/// The state of all `@Once` requests, which must not be handled twice.
///
/// This value receives events and returns actions. The caller passes the time, in seconds since 1970.
///
///     recorded > forwarded > handled > reply recorded > replied
///
/// A copy of a request is answered from the record, or waits for the reply if there is none yet. If a process died in
/// between, the copy fails with an error that says that the request may have been handled. No request is forwarded
/// twice.
struct OnceTable {
    private enum State {
        /// The request is being recorded.
        case writing(KeptFrame, from: UInt64)
        case running
        /// The reply is being recorded.
        case replying(KeptFrame)
        case ended
        /// Forwarded, but the outcome is unknown for this reason.
        case lost(String)
    }

    private struct Record {
        var state: State
        var waiter: Waiter?
        let message: String
        /// When the record was made, in seconds since 1970.
        let time: Int64
        /// The size of the recorded reply in bytes.
        var size = 0
        /// Whose share of the room it takes.
        let share: OnceRoom.Sharer
        /// Whether the sender cancelled it before it was forwarded.
        var isCancelled = false

        /// Whether it may still be forwarded or get a reply.
        var isOnItsWay: Bool {
            switch state {
            case .writing, .running, .replying: true
            case .ended, .lost: false
            }
        }
    }

    /// How long a record is kept beyond the window, in seconds.
    ///
    /// The sender may repeat the request until its deadline, which may exceed the window by the clock margin, and a
    /// copy may then take up to 10 s to arrive.
    static let margin = RequestRouter.clockMargin.components.seconds + 10
    /// The interval in seconds for checking a record that is still pending after its window.
    private static let nextLook: Int64 = 10

    let limits: Limits
    /// Whether the records outlive the host, because it has a store.
    private let isKept: Bool
    private var records: [RequestKey: Record] = [:]
    /// The number of records, and the sizes of the recorded replies in bytes.
    private var counts: OnceRoom
    private var sizes: OnceRoom
    /// The records in the order of their times. Some entries may be outdated: the record was deleted, or made again
    /// with a later time.
    private var order = Deque<(key: RequestKey, time: Int64)>()

    init(limits: Limits = Limits(), isKept: Bool = true) {
        self.limits = limits
        self.isKept = isKept
        counts = OnceRoom(limit: limits.count)
        sizes = OnceRoom(limit: limits.bytes)
    }

    var count: Int { records.count }

    /// The size of all recorded replies in bytes.
    var bytes: Int { sizes.used }

    /// The number of entries in the expiry order, including outdated ones.
    var orderCount: Int { order.count }

    /// The keys, messages and times of all records.
    var all: [(key: RequestKey, message: String, time: Int64)] {
        records.map { ($0.key, $0.value.message, $0.value.time) }
    }

    func has(_ key: RequestKey) -> Bool { records[key] != nil }

    /// Whether a request would get a record. Without a store, a copy without a record may have been handled by an
    /// earlier host.
    func isNew(_ frame: Frame, key: RequestKey) -> Bool {
        !has(key) && (isKept || !frame.flags.contains(.copy))
    }

    /// When to call ``expire(at:)`` next, in seconds since 1970; `nil` when there are no records.
    func nextExpiry(at now: Int64) -> Int64? {
        guard let first = order.first else { return nil }
        let due = first.time + limits.window + Self.margin + 1
        // Check a record again that is pending beyond its window, so that the records behind it can expire.
        return due <= now && records[first.key]?.isOnItsWay == true ? now + Self.nextLook : due
    }

    /// Restores the records of earlier hosts.
    /// - Returns: the actions to perform.
    mutating func restore(_ restored: [Restored], at now: Int64) -> [Action] {
        // A record with an impossible time, because the clock was set, is kept for one window from now.
        let times = (now - limits.window - Self.margin)...now
        for record in restored {
            let share = OnceRoom.Sharer(peer: record.key.peer)
            records[record.key] = Record(
                state: record.replySize == nil ? .lost("the host died while the request was handled") : .ended,
                message: record.message, time: times.contains(record.time) ? record.time : now,
                size: record.replySize ?? 0, share: share)
            counts.add(for: share)
            sizes.add(record.replySize ?? 0, for: share)
        }
        order += restored.map { ($0.key, times.contains($0.time) ? $0.time : now) }.sorted { $0.1 < $1.1 }
        return restored.allSatisfy { times.contains($0.time) } ? [] : [.redate(outside: times, to: now)]
    }

    /// Handles a request that arrived for the first time or again.
    /// - Parameters:
    ///   - share: whose share of the room it takes; `nil` for its peer's own.
    ///   - user: the user whose act it is; `nil` for none.
    ///   - timeLeft: how long its sender still waits, in seconds.
    mutating func received(
        _ frame: Frame, key: RequestKey, share: String? = nil, user: String? = nil, from waiter: Waiter,
        timeLeft: Int64, at now: Int64
    ) -> [Action] {
        var actions = expire(at: now)
        if let record = records[key] {
            switch record.state {
            case .writing, .running, .replying:
                // The newest copy gets the reply; its sender no longer waits for the earlier ones.
                if let old = record.waiter, old.link == waiter.link, old != waiter {
                    actions.append(.fail(old, Self.lost(record.message, "it was sent again on the same link")))
                }
                records[key]?.waiter = waiter
                records[key]?.isCancelled = false
            case .ended:
                actions.append(.answerFromRecord(waiter, key, message: record.message))
            case .lost(let reason):
                actions.append(.fail(waiter, Self.lost(record.message, reason)))
            }
            return actions
        }
        guard isNew(frame, key: key) else {
            let reason = "this host has no store, and an earlier run of it may have handled the request"
            return actions + [.fail(waiter, Self.lost(frame.name, reason))]
        }
        if timeLeft > limits.window {
            let detail = "its timeout is \(timeLeft) s, but records are kept only for \(limits.window) s"
            return actions + [.fail(waiter, MessageError(.malformed, message: frame.name, detail: detail))]
        }
        let share = OnceRoom.Sharer(peer: share ?? key.peer, user: user)
        if let detail = excess(of: share) {
            return actions + [.fail(waiter, MessageError(.overloaded, message: frame.name, detail: detail))]
        }
        counts.add(for: share)
        records[key] = Record(
            state: .writing(KeptFrame(frame), from: waiter.link), waiter: waiter, message: frame.name, time: now,
            share: share)
        order.append((key, now))
        return actions + [.write(key, message: frame.name, time: now)]
    }

    /// Why a sender gets no further record; `nil` when it gets one.
    private func excess(of sharer: OnceRoom.Sharer) -> String? {
        let rule = "each peer has its share, and each of its users a part of that"
        return if !counts.allows(to: sharer) {
            "\(counts.held(by: sharer)) requests of \(sharer) are on record, of \(count) in all and \(limits.count) at most; \(rule)"
        } else if !sizes.allows(to: sharer) {
            "the recorded replies to \(sharer) have \(sizes.held(by: sharer)) bytes, of \(bytes) in all and \(limits.bytes) at most; \(rule)"
        } else {
            nil
        }
    }

    /// Forwards a request that was recorded, or refuses it when it could not be recorded.
    mutating func written(_ key: RequestKey, error: (any Error)?) -> [Action] {
        guard let record = records[key], case .writing(let kept, let link) = record.state else { return [] }
        guard let error else {
            records[key]?.state = .running
            guard record.isCancelled else { return [.handOn(key, kept.frame, from: link)] }
            let error = MessageError(.timeout, message: record.message, detail: "its sender no longer waits")
            return ended(key, with: .failure(error, of: record.message))
        }
        remove(key)
        let refusal = MessageError(.overloaded, message: record.message, detail: "it cannot be recorded: \(error)")
        return record.waiter.map { [.fail($0, refusal)] } ?? []
    }

    /// Withdraws a request that is not forwarded because the host shuts down.
    ///
    /// Its record is deleted, so that the next host accepts a copy as new. The sender gets no reply and sends that
    /// copy.
    mutating func withdrawn(_ key: RequestKey) -> [Action] {
        guard case .running = records[key]?.state else { return [] }
        remove(key)
        return [.delete(key)]
    }

    /// Notes that the sender has cancelled the request. The caller cancels a request that was already forwarded.
    mutating func cancelled(_ key: RequestKey) {
        if case .writing = records[key]?.state { records[key]?.isCancelled = true }
    }

    /// Handles the reply to a request, or its failure.
    mutating func ended(_ key: RequestKey, with reply: Frame) -> [Action] {
        guard let record = records[key], case .running = record.state else { return [] }
        let kept = reply.withoutSecrets(of: record.message)
        let size = Frame.headerSize + kept.payload.count
        guard sizes.take(size, for: record.share) else {
            // The current waiter still gets the reply; only later copies would need the record.
            let reason =
                "its reply of \(size) bytes was not recorded, because \(sizes.held(by: record.share)) bytes of its sender's others are, of \(bytes) in all"
            records[key]?.state = .lost(reason)
            records[key]?.waiter = nil
            return record.waiter.map { [.answer($0, reply)] } ?? []
        }
        records[key]?.size = size
        records[key]?.state = .replying(KeptFrame(reply))
        return [.writeReply(key, kept)]
    }

    /// Sends a reply that was recorded, or an error when it could not be recorded.
    mutating func replyWritten(_ key: RequestKey, error: (any Error)?) -> [Action] {
        guard let record = records[key], case .replying(let kept) = record.state else { return [] }
        records[key]?.waiter = nil
        guard let error else {
            records[key]?.state = .ended
            return record.waiter.map { [.answer($0, kept.frame)] } ?? []
        }
        let reason = "its reply cannot be recorded: \(error)"
        sizes.giveBack(record.size, of: record.share)
        records[key]?.size = 0
        records[key]?.state = .lost(reason)
        return record.waiter.map { [.fail($0, Self.lost(record.message, reason))] } ?? []
    }

    private static func lost(_ message: String, _ detail: String) -> MessageError {
        MessageError(.peerLost, message: message, detail: detail, mayHaveBeenHandled: true)
    }

    private mutating func remove(_ key: RequestKey) {
        delete(key)
        // Leave the entry in `order`, where `expire` skips it: searching for each one would take quadratic time for a
        // batch that could not be written.
        guard order.count > 2 * records.count + 64 else { return }
        order.removeAll { records[$0.key]?.time != $0.time }
    }

    private mutating func delete(_ key: RequestKey) {
        guard let record = records.removeValue(forKey: key) else { return }
        counts.giveBack(of: record.share)
        sizes.giveBack(record.size, of: record.share)
    }

    /// The number of records that expire in one call. The timer runs again at once for the others, so that the loop can
    /// do other work in between.
    private static let expiredAtOnce = 1000

    /// Removes the records that no valid copy can refer to any more.
    mutating func expire(at now: Int64) -> [Action] {
        let limit = now - limits.window - Self.margin
        var stays: [(key: RequestKey, time: Int64)] = []
        var removed = 0
        while removed < Self.expiredAtOnce, let first = order.first, first.time < limit {
            order.removeFirst()
            guard let record = records[first.key], record.time == first.time else { continue }
            // Keep the records of pending requests.
            if record.isOnItsWay {
                stays.append(first)
            } else {
                delete(first.key)
                removed += 1
            }
        }
        order.prepend(contentsOf: stays)
        guard removed > 0 else { return [] }
        return [.forget(before: min(limit, order.first?.time ?? limit))]
    }
}
