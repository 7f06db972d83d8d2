import Hub
import Bus
import Messaging
import DequeModule

/// The requests that must not be handled twice: what is known of each, and what follows from it. A value: events in, actions out,
/// with the time fed in, in seconds since 1970.
///
///     written down > handed on > ended > reply written down > answered
///
/// A copy that comes again is answered from the record, waits for the end if there is none yet, or is told that the request may have
/// been handled where a process died between. Nothing is ever handed on a second time.
struct OnceTable {
    /// The copy that is to be answered.
    struct Waiter: Hashable {
        /// The link that it came over, and its id there.
        let link: UInt64
        let id: UInt64
        let session: String
    }

    enum Action {
        /// Write down that the request is about to be handed on, then say ``OnceTable/written(_:error:)``.
        case write(RequestKey, message: String, time: Int64)
        /// Hand the request on, as it came over this link.
        case handOn(RequestKey, Frame, from: UInt64)
        /// Take the request off the record: it was not handed on.
        case delete(RequestKey)
        /// Write the reply down, then say ``OnceTable/replyWritten(_:error:)``.
        case writeReply(RequestKey, Frame)
        case answer(Waiter, Frame)
        /// Answer with the reply that was written down earlier.
        case answerFromRecord(Waiter, RequestKey, message: String)
        case fail(Waiter, MessageError)
        /// Forget what was handed on before this time.
        case forget(before: Int64)
        /// Let what is on record of a time outside of these be of this one.
        case redate(outside: ClosedRange<Int64>, to: Int64)
    }

    struct Limits {
        /// How long a record is kept, in seconds: no request may wait longer.
        var window: Int64 = 600
        /// Records that are kept at a time; one more is refused as overloaded.
        var count = 100_000
        /// The bytes of the replies that are kept with them. When there are as many a request is refused as overloaded, and the
        /// reply to one that is on its way is not kept: a copy is told that it may have been handled.
        var bytes = 256 << 20
    }

    private enum State {
        /// Being written down.
        case writing(Frame, from: UInt64)
        case running
        /// Its reply is being written down.
        case replying(Frame)
        case ended
        /// Handed on, and nobody knows any more what came of it, for this reason.
        case lost(String)
    }

    private struct Record {
        var state: State
        var waiter: Waiter?
        let message: String
        /// Of when it is, in seconds since 1970.
        let time: Int64
        /// The bytes of its reply that are kept.
        var size = 0
        /// Its sender has left before it was handed on.
        var isCancelled = false

        /// Whether it may still be handed on, or end.
        var isOnItsWay: Bool {
            switch state {
            case .writing, .running, .replying: true
            case .ended, .lost: false
            }
        }
    }

    /// What a record is kept for beyond the window, in seconds: its sender may send it again until its deadline, which may be so much
    /// beyond the window, and a copy may be on its way.
    static let margin = RequestRouter.clockMargin.components.seconds + 10
    /// After how many seconds one is looked at again that is on its way beyond its window.
    private static let nextLook: Int64 = 10

    let limits: Limits
    private var records: [RequestKey: Record] = [:]
    /// The bytes of all replies that are kept.
    private(set) var bytes = 0
    /// In the order of their times. Some may be on record no more, or anew, with a later time.
    private var order = Deque<(key: RequestKey, time: Int64)>()

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    var count: Int { records.count }

    /// The places in the order that records are forgotten in, those that have none any more among them.
    var orderCount: Int { order.count }

    func has(_ key: RequestKey) -> Bool { records[key] != nil }

    /// When to call ``expire(at:)`` next, in seconds since 1970; `nil` when there is nothing to forget.
    func nextExpiry(at now: Int64) -> Int64? {
        guard let first = order.first else { return nil }
        let due = first.time + limits.window + Self.margin + 1
        // One that is on its way beyond its window is looked at again, for those behind it.
        return due <= now && records[first.key]?.isOnItsWay == true ? now + Self.nextLook : due
    }

    /// A record of an earlier host.
    struct Restored {
        var key: RequestKey
        var message: String
        /// When it was made, by the clock of then.
        var time: Int64
        /// The bytes of its reply; `nil` when there is none.
        var replySize: Int?
    }

    /// Takes over the records of earlier hosts.
    /// - Returns: what to write.
    mutating func restore(_ restored: [Restored], at now: Int64) -> [Action] {
        // One that cannot be of that time is kept for a window from now: the clock has been put forward or back since.
        let times = (now - limits.window - Self.margin)...now
        for record in restored {
            records[record.key] = Record(
                state: record.replySize == nil ? .lost("the host died while it was handled") : .ended,
                message: record.message, time: times.contains(record.time) ? record.time : now,
                size: record.replySize ?? 0)
            bytes += record.replySize ?? 0
        }
        order += restored.map { ($0.key, times.contains($0.time) ? $0.time : now) }.sorted { $0.1 < $1.1 }
        return restored.allSatisfy { times.contains($0.time) } ? [] : [.redate(outside: times, to: now)]
    }

    /// A request has come, for the first time or again.
    /// - Parameter timeLeft: how long its sender waits, in seconds.
    mutating func received(_ frame: Frame, key: RequestKey, from waiter: Waiter, timeLeft: Int64, at now: Int64)
        -> [Action]
    {
        var actions = expire(at: now)
        if let record = records[key] {
            switch record.state {
            case .writing, .running, .replying:
                // The copy's sender is the one that still listens.
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
        if timeLeft > limits.window {
            let detail = "it would wait for \(timeLeft) s, and records are kept for \(limits.window) s"
            return actions + [.fail(waiter, MessageError(.malformed, message: frame.name, detail: detail))]
        }
        if records.count >= limits.count {
            let detail = "\(records.count) requests are kept on record, as many as may be"
            return actions + [.fail(waiter, MessageError(.overloaded, message: frame.name, detail: detail))]
        }
        if bytes >= limits.bytes {
            let detail = "the replies that are kept on record have \(bytes) bytes, as many as may be"
            return actions + [.fail(waiter, MessageError(.overloaded, message: frame.name, detail: detail))]
        }
        records[key] = Record(state: .writing(frame, from: waiter.link), waiter: waiter, message: frame.name, time: now)
        order.append((key, now))
        return actions + [.write(key, message: frame.name, time: now)]
    }

    /// It is written down that the request is handed on; or that failed, and it is not.
    mutating func written(_ key: RequestKey, error: (any Error)?) -> [Action] {
        guard let record = records[key], case .writing(let frame, let link) = record.state else { return [] }
        guard let error else {
            records[key]?.state = .running
            guard record.isCancelled else { return [.handOn(key, frame, from: link)] }
            let error = MessageError(.timeout, message: record.message, detail: "its sender has left")
            return ended(key, with: .failure(error, of: record.message))
        }
        remove(key)
        let refusal = MessageError(.overloaded, message: record.message, detail: "it cannot be put on record: \(error)")
        return record.waiter.map { [.fail($0, refusal)] } ?? []
    }

    /// The request is not handed on after all, because the host ends: nothing has happened, and the next life may take a copy for
    /// the first. Who waits for its end gets none, and sends that copy.
    mutating func withdrawn(_ key: RequestKey) -> [Action] {
        guard case .running = records[key]?.state else { return [] }
        remove(key)
        return [.delete(key)]
    }

    /// The request's sender has left. What was handed on is for others to cancel.
    mutating func cancelled(_ key: RequestKey) {
        if case .writing = records[key]?.state { records[key]?.isCancelled = true }
    }

    /// The request has ended, in a reply or a failure.
    mutating func ended(_ key: RequestKey, with reply: Frame) -> [Action] {
        guard let record = records[key], case .running = record.state else { return [] }
        let size = Frame.headerSize + reply.payload.count
        guard bytes + size <= limits.bytes else {
            // Who waits gets it all the same: only a copy would have to be answered from the record.
            let reason = "its reply of \(size) bytes was not kept, for \(bytes) bytes of others are"
            records[key]?.state = .lost(reason)
            records[key]?.waiter = nil
            return record.waiter.map { [.answer($0, reply)] } ?? []
        }
        bytes += size
        records[key]?.size = size
        records[key]?.state = .replying(reply)
        return [.writeReply(key, reply)]
    }

    /// The reply is written down; or that failed.
    mutating func replyWritten(_ key: RequestKey, error: (any Error)?) -> [Action] {
        guard let record = records[key], case .replying(let reply) = record.state else { return [] }
        records[key]?.waiter = nil
        guard let error else {
            records[key]?.state = .ended
            return record.waiter.map { [.answer($0, reply)] } ?? []
        }
        let reason = "its reply cannot be put on record: \(error)"
        bytes -= record.size
        records[key]?.size = 0
        records[key]?.state = .lost(reason)
        return record.waiter.map { [.fail($0, Self.lost(record.message, reason))] } ?? []
    }

    private static func lost(_ message: String, _ detail: String) -> MessageError {
        MessageError(.peerLost, message: message, detail: detail, mayHaveBeenHandled: true)
    }

    private mutating func remove(_ key: RequestKey) {
        records[key] = nil
        // Passed over when its turn comes: to look for each would cost the square of a batch that could not be written.
        guard order.count > 2 * records.count + 64 else { return }
        order.removeAll { records[$0.key]?.time != $0.time }
    }

    /// Records that are forgotten at a time: more of them follow at once, when the loop has done what else there is.
    private static let expiredAtOnce = 1000

    /// Forgets what nobody may ask about any more.
    mutating func expire(at now: Int64) -> [Action] {
        let limit = now - limits.window - Self.margin
        var stays: [(key: RequestKey, time: Int64)] = []
        var removed = 0
        while removed < Self.expiredAtOnce, let first = order.first, first.time < limit {
            order.removeFirst()
            guard let record = records[first.key], record.time == first.time else { continue }
            // What is on its way must be known for as long as it is.
            if record.isOnItsWay {
                stays.append(first)
            } else {
                bytes -= record.size
                records[first.key] = nil
                removed += 1
            }
        }
        order.prepend(contentsOf: stays)
        guard removed > 0 else { return [] }
        return [.forget(before: min(limit, order.first?.time ?? limit))]
    }
}
