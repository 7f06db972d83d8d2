import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct GuardPauseTests {
    @Test("The pauses double from a second to a minute, and there is no last one")
    func doubling() {
        var pause = GuardPause()
        let pauses = (0..<8).map { _ in pause.after(life: .zero) }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect((0..<1000).allSatisfy { _ in pause.after(life: .seconds(59)) == .seconds(60) })
    }

    @Test("After a guard that has lived for a minute, the pauses are short again")
    func reset() {
        var pause = GuardPause()
        for _ in 0..<8 { _ = pause.after(life: .zero) }
        #expect(pause.after(life: .seconds(60)) == .seconds(1))
        #expect(pause.after(life: .zero) == .seconds(2))
    }
}
