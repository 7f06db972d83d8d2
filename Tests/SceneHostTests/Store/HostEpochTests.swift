import Foundation
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct HostEpochTests {
    @Test("An epoch is the time in milliseconds")
    func time() throws {
        #expect(try HostEpoch.next(after: 0, at: Date(timeIntervalSince1970: 1_700_000_000)) == 1_700_000_000_000)
    }

    @Test("An epoch exceeds the last one, also when the clock was set back, or before 1970")
    func clockSetBack() throws {
        let last: UInt64 = 1_700_000_000_000
        #expect(try HostEpoch.next(after: last, at: Date(timeIntervalSince1970: 1_600_000_000)) == last + 1)
        #expect(try HostEpoch.next(after: last, at: Date(timeIntervalSince1970: 1_700_000_000)) == last + 1)
        #expect(try HostEpoch.next(after: 0, at: Date(timeIntervalSince1970: -5)) == 1)
    }

    @Test("A clock, or a last epoch, after which no epoch could follow is an error that says what to do")
    func tooLate() {
        let clock = #expect(throws: HostError.self) {
            try HostEpoch.next(after: 0, at: Date(timeIntervalSince1970: 1e16))
        }
        #expect(clock?.description.contains("set the clock") == true)
        let store = #expect(throws: HostError.self) {
            try HostEpoch.next(after: UInt64(HostEpoch.maximum) - 1, at: Date())
        }
        #expect(store?.description.contains("name another store") == true)
    }
}
