import Messaging
import Testing

@testable import SceneHost

/// The records of `@Once` requests in the store.
@Suite(.timeLimit(.minutes(5)))
struct RequestRecordTests {
    @Test("Deleting the records from before a time keeps those of that time and later ones")
    func expiry() async throws {
        let store = try HostStore(path: nil)
        for time in 1...5 as ClosedRange<Int64> {
            let id = MessageID(high: 1, low: UInt64(time))
            try await store.write([
                .addRequest(RequestRecord(peer: "wall", id: id, message: "orderPlace", time: time))
            ])
        }
        try await store.write([.deleteRequests(before: 3)])
        #expect(try await store.requests().map(\.record.time) == [3, 4, 5])
    }
}
