import CBOR
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct PeerDropsTests {
    @Test func `Reasons that are equal once they are truncated are added`() {
        let long = String(repeating: "x", count: 64)
        let drops = PeerDrops([long + "one": 2, long + "two": 3, "short": 1])
        #expect(drops.counts == [long: 5, "short": 1])
    }

    @Test func `Of too many reasons the smallest are left out`() {
        let all = Dictionary(uniqueKeysWithValues: (1...40).map { ("reason \($0)", $0) })
        let drops = PeerDrops(all)
        #expect(drops.counts.count == 32)
        #expect(drops.counts["reason 40"] == 40)
        #expect(drops.counts["reason 8"] == nil)
        #expect(drops.counts["reason 9"] == 9)
    }

    @Test func `A report that exceeds a limit is refused`() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<33).map { ("reason \($0)", UInt64(1)) })
        for report in [many, [String(repeating: "x", count: 65): 1]] {
            let bytes = try CBOREncoder().encode(report)
            #expect(throws: DecodingError.self) { try CBORDecoder().decode(PeerDrops.self, from: bytes) }
        }
    }
}
