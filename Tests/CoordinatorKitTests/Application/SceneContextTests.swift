import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SceneContextTests {
    @Test func `A handler knows the session of the sender's scene, even if the message was passed on`() async throws {
        let delegate = CounterAppDelegate()
        let (application, first) = try shopScene(delegate: delegate)
        let second = try #require(
            try application.requestSceneSessionActivation(configuration: "Shop").sceneCoordinator as? ShopCoordinator)
        let passing = PassingCoordinator()
        second.startChild(passing)
        _ = try await first.chain.counterAdd(1, note: "first")
        passing.chain.counterShow(page: "second")
        _ = try await application.chain.counterAdd(1, note: "nobody's")
        #expect(delegate.log.lines == ["add 1 first", "show second!", "add 1 nobody's"])
        let sessions = application.openSessions.map(\.persistentIdentifier)
        #expect(Set(sessions).count == 2)
        #expect(delegate.log.sessions == [sessions[0], sessions[1], nil])
    }

    @Test func `A handler in the scene knows the session too`() async throws {
        let (application, coordinator) = try shopScene()
        let handler = CounterCoordinator()
        coordinator.startChild(handler)
        handler.chain.counterShow(page: "")
        #expect(handler.log.sessions == [application.openSessions[0].persistentIdentifier])
    }
}

/// The top of the chain, with its own handler of counter messages.
final class CounterAppDelegate: AppDelegate, CounterMessages {
    let log = CounterLog()
    func counterAdd(_ amount: Int, note: String) async throws -> Int { try log.add(amount, note) }
    func counterReset(to value: Int) async throws { log.write("reset \(value)") }
    func counterShow(page: String) { log.write("show \(page)") }
}
