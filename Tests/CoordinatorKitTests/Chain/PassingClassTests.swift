import CoordinatorKit
import Testing

/// Messages that a class of the library is extended to handle, which is a mistake.
@ResponderMessages protocol MisplacedMessages {
    func misplacedAsk() async throws -> Int
}

extension ResponderChain: MisplacedMessages {}

extension Window: MisplacedMessages {
    func misplacedAsk() async throws -> Int { 1 }
}

private final class AskedWindow: Window {}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PassingClassTests {
    @Test func `A class of the library handles no messages, a subclass of it does`() async throws {
        let message = MisplacedMessagesList.misplacedAsk.self
        let own: [Responder] = [
            View(), ViewController(), NavigationController(), TabBarController(), Window(), AppDelegate(),
            Application(), SceneDelegate(), WindowSceneDelegate<ShopCoordinator>(),
            try #require(try shopScene().0.connectedScenes.first),
        ]
        #expect(own.allSatisfy { $0.isPassing && !$0.handles(message) })
        #expect(AskedWindow().handles(message))
        #expect(try await AskedWindow().chain.misplacedAsk() == 1)
    }

    @Test(.enabled(if: _isDebugAssertConfiguration()))
    func `A debug build ends at a message to a class of the library that is extended to handle it`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            _ = try? await Window().chain.misplacedAsk()
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("'Window' is extended to handle 'misplacedAsk'"))
        #expect(output.contains("conform a class of your own"))
    }
}
