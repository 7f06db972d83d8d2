import Hub
import Bus
import Messaging
import Testing

@testable import SceneHost

/// The records of `@Once` requests that an earlier host has left.
@Suite(.timeLimit(.minutes(5)))
struct RestoredRecordsTests {
    private func key(_ number: UInt64) -> RequestKey {
        RequestKey(peer: "wall", id: MessageID(high: 1, low: number))
    }

    @Test("The replies of an earlier host make room for new requests when their records expire")
    func room() {
        var table = OnceTable(limits: .init(window: 60, bytes: 100))
        let old = OnceTable.Restored(key: key(1), message: "orderPlace", time: 90, replySize: 100)
        _ = table.restore([old], at: 95)
        #expect(table.bytes == 100)
        var request = Frame(.request)
        request.name = "orderPlace"
        let waiter = OnceTable.Waiter(link: 1, id: 9, session: "")
        let actions = table.received(
            request, key: key(2), from: waiter, timeLeft: 1, at: 90 + 60 + OnceTable.margin + 1)
        #expect(table.bytes == 0)
        #expect(table.has(key(2)))
        #expect(actions.contains { if case .write = $0 { true } else { false } })
    }
}
