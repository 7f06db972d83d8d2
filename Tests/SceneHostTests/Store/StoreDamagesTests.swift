import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct StoreDamagesTests {
    private func loss(_ number: Int) -> StoreError { .lost(path: "S", "S was shortened to \(number) bytes") }

    @Test func `A damage that happens again is one, with its count and the last time`() {
        var damages = StoreDamages()
        damages.add(loss(1), .whole, at: 0)
        let first = damages.descriptions
        #expect(first.count == 1)
        #expect(first[0].hasPrefix("S was shortened to 1 bytes while the host runs (at "))
        #expect(first[0].contains("), and was written anew; nothing is missing"))
        for time in 1...2 { damages.add(loss(1), .whole, at: time) }
        #expect(damages.descriptions.count == 1)
        #expect(damages.descriptions[0].contains(" (3 times, last at "))
        #expect(damages.descriptions[0].contains(":02), and was written anew"))
    }

    @Test func `Of many damages the newest are shown, and those that have lost something`() {
        var damages = StoreDamages()
        damages.add(loss(0), .fromMemory, at: 0)
        for number in 1...20 { damages.add(loss(number), .whole, at: number) }
        let shown = damages.descriptions
        // The others are counted.
        #expect(shown.count == 9)
        #expect(shown[0].contains("13 more times"))
        #expect(shown[1].contains("shortened to 0 bytes") && shown[1].contains("are missing"))
        #expect(shown[2].contains("shortened to 14 bytes"))
        #expect(shown[8].contains("shortened to 20 bytes"))
    }

    @Test func `Even damages that have lost something are bounded`() {
        var damages = StoreDamages()
        for number in 1...20 { damages.add(loss(number), .fromMemory, at: number) }
        #expect(damages.descriptions.count == 9)
        #expect(damages.descriptions[8].contains("shortened to 20 bytes"))
    }
}
