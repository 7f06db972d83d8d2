import Bus
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct WaitingInputsTests {
    private typealias Inputs = WaitingInputs<Int>
    private let start = MonotonicInstant.now

    private func input(_ order: UInt64, from sender: String = "operator", after seconds: Int = 60) -> Inputs.Input {
        Inputs.Input(order: order, deadline: start + .seconds(seconds), sender: sender, run: Int(order))
    }

    /// Adds inputs until one is refused.
    private func fill(_ inputs: inout Inputs, of session: String, from sender: String, first: UInt64 = 1) -> Int {
        var count = 0
        while inputs.add(input(first + UInt64(count), from: sender), of: session) == nil { count += 1 }
        return count
    }

    @Test func `The inputs of a session keep their order, and one that is sent again goes before newer ones`() {
        var inputs = Inputs()
        for order in [2, 4, 3, 1] as [UInt64] { #expect(inputs.add(input(order), of: "a") == nil) }
        #expect(inputs.add(input(9), of: "b") == nil)
        #expect(inputs.remove(3, of: "a")?.run == 3)
        #expect(inputs.remove(3, of: "a") == nil)
        #expect(inputs.remove(9, of: "a") == nil)
        #expect(inputs.removeAll(of: "a").map(\.run) == [1, 2, 4])
        #expect(inputs.removeAll(of: "a").isEmpty)
        #expect(!inputs.hasInputs(of: "a"))
        #expect(inputs.count == 1)
    }

    @Test func `A sender's inputs leave room for those of others`() {
        var inputs = Inputs(limit: 1000)
        var taken = 0
        for session in 1...20 { taken += fill(&inputs, of: "\(session)", from: "greedy") }
        #expect(taken == 450)
        #expect(inputs.add(input(1, from: "other"), of: "door") == nil)
        #expect(inputs.add(input(2, from: "greedy"), of: "door")?.contains("'greedy'") == true)
    }

    @Test func `The inputs of a session leave room for those of others, whoever sends them`() {
        var inputs = Inputs(limit: 1000)
        var taken = 0
        for sender in 1...20 { taken += fill(&inputs, of: "stuck", from: "\(sender)") }
        // Each of the later ones may still add one.
        #expect(taken == 450 + 19)
        #expect(inputs.add(input(1, from: "2"), of: "stuck")?.contains("'stuck'") == true)
        #expect(inputs.add(input(1, from: "2"), of: "door") == nil)
        #expect(inputs.add(input(1, from: "other"), of: "stuck") == nil)
    }

    @Test func `What is removed makes room, and leaves no deadline for long`() {
        var inputs = Inputs(limit: 1000)
        for order in 1...5000 as ClosedRange<UInt64> {
            #expect(inputs.add(input(order, after: 86_400), of: "a") == nil)
            #expect(inputs.remove(order, of: "a") != nil)
        }
        #expect(inputs.count == 0)
        #expect(inputs.deadlineCount < 100)
        #expect(fill(&inputs, of: "a", from: "operator") == 450)
    }

    @Test func `The sessions with inputs at their deadlines are known`() {
        var inputs = Inputs()
        #expect(inputs.add(input(1, after: 1), of: "a") == nil)
        #expect(inputs.add(input(2, after: 3), of: "b") == nil)
        #expect(inputs.nextDeadline == start + .seconds(1))
        #expect(inputs.sessionsDue(at: start) == [])
        #expect(inputs.sessionsDue(at: start + .seconds(2)) == ["a"])
        #expect(inputs.removeAll(of: "a") { $0.deadline > start + .seconds(2) }.isEmpty)
        #expect(inputs.removeAll(of: "a") { $0.deadline <= start + .seconds(2) }.count == 1)
        #expect(inputs.nextDeadline == start + .seconds(3))
    }
}
