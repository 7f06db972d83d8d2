import Bus
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct LoggedFaultsTests {
    private var faults = LoggedFaults()
    private let start = MonotonicInstant.now

    private mutating func note(_ what: String, _ peer: String, after seconds: Int = 0) -> Int? {
        faults.note(what, of: peer, at: start + .seconds(seconds))
    }

    @Test mutating func `A fault is logged once in a minute for each peer, and the line after it counts the others`() {
        #expect(note("no room", "machine") == 0)
        #expect(note("no room", "machine", after: 1) == nil)
        #expect(note("no room", "machine", after: 59) == nil)
        #expect(note("no room", "scale", after: 59) == 0)
        #expect(note("not listed", "machine", after: 59) == 0)
        #expect(note("no room", "machine", after: 60) == 2)
        #expect(note("no room", "machine", after: 61) == nil)
        #expect(note("no room", "machine", after: 200) == 1)
        #expect(note("no room", "machine", after: 300) == 0)
    }

    @Test mutating func `The peers of one key leave lines to others`() {
        let logged = (0..<100).filter {
            faults.note("no room", of: "wall-\($0)", sharing: "key wall", at: start) != nil
        }
        #expect(logged.count == LoggedFaults.maximumOfSharer)
        #expect(note("no room", "machine") == 0)
        let later = faults.note("no room", of: "wall-99", sharing: "key wall", at: start + .seconds(60))
        #expect(later == 0)
    }

    @Test mutating func `Peers under ever new names write a bounded number of lines in a minute`() {
        let logged = (0..<1000).filter { note("no room", "greedy\($0)") != nil }
        #expect(logged.count == LoggedFaults.maximumCount)
        #expect(note("no room", "machine", after: 30) == nil)
        #expect(note("no room", "machine", after: 60) == 0)
    }
}
