import Bus
import Hub
import Messaging
import Testing

@testable import SceneHost

/// How the users of a peer share its room for recorded requests.
@Suite(.timeLimit(.minutes(5)))
struct OnceSharesTests {
    private let waiter = OnceTable.Waiter(link: 1, id: 9, session: "")
    private var request: Frame { Frame(.request, name: "orderPlace") }

    private struct Failed: Error {}

    /// Lets a peer have requests recorded for a user until one is refused.
    /// - Returns: the keys of their records.
    private func fill(
        _ table: inout OnceTable, _ peer: String, for user: String?, upTo limit: Int = .max
    ) -> [RequestKey] {
        var keys: [RequestKey] = []
        while keys.count < limit {
            let key = RequestKey(peer: peer, id: .new())
            let actions = table.received(request, key: key, user: user, from: waiter, timeLeft: 1, at: 100)
            guard case .write = actions.last else { break }
            keys.append(key)
        }
        return keys
    }

    @Test
    func `A user who fills the records leaves room for the peer's other users, for the peer, and for other peers`() {
        var table = OnceTable(limits: .init(window: 60, count: 10_000))
        let loud = fill(&table, "console", for: "anna")
        // What the peer may hold is 4,500, and what it holds is shared in the same way.
        #expect(loud.count == 2025)
        #expect(fill(&table, "console", for: "ben").count == 1013)
        #expect(fill(&table, "console", for: nil, upTo: 100).count == 100)
        #expect(fill(&table, "door", for: nil).count > 2000)
        // What was not recorded counts no more.
        for key in loud { _ = table.written(key, error: Failed()) }
        #expect(fill(&table, "console", for: "anna", upTo: 100).count == 100)
    }

    @Test func `A peer has no more room for many users than for itself`() {
        var table = OnceTable(limits: .init(window: 60, count: 10_000))
        var count = 0
        for number in 0..<2000 { count += fill(&table, "console", for: "user\(number)").count }
        #expect(count <= 4500)
        #expect(fill(&table, "door", for: nil).count > 2000)
    }

    @Test func `The recorded replies to one user leave room for those to others`() {
        var table = OnceTable(limits: .init(window: 60, bytes: 100_000))
        var reply = Frame(.reply)
        reply.payload = Array(repeating: 7, count: 1000)[...]
        func answer(_ user: String) -> Bool {
            guard let key = fill(&table, "console", for: user, upTo: 1).first else { return false }
            _ = table.written(key, error: nil)
            guard case .writeReply = table.ended(key, with: reply).first else { return false }
            return true
        }
        while answer("anna") {}
        #expect(table.bytes > 15_000 && table.bytes < 25_000)
        #expect(answer("ben"))
    }

    @Test func `A user without room is told whose share is used up`() {
        var table = OnceTable(limits: .init(window: 60, count: 100))
        _ = fill(&table, "console", for: "anna")
        let key = RequestKey(peer: "console", id: .new())
        let actions = table.received(request, key: key, user: "anna", from: waiter, timeLeft: 1, at: 100)
        guard case .fail(_, let error) = actions.last else {
            Issue.record("it is recorded")
            return
        }
        #expect(error.code == .overloaded && error.detail.contains("'anna' at 'console'"), "\(error.detail)")
    }
}
