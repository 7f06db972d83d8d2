import Bus
import Messaging
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// What peers with keys share.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct KeySharesTests {
        @Test("The peers of one key leave places to those of another one with the same address")
        func places() async throws {
            try await KeyedHost.with(configure: { $0.maximumLinks = 20 }) { host in
                for line in ["wall worker", "lobby worker"] { try await host.allow(line) }
                var attached: [RawPeer] = []
                let refusal = try await #require(throws: Refusal.self) {
                    for number in 1...20 {
                        attached.append(try await host.attached("wall", role: .worker, as: "wall-\(number)"))
                    }
                }
                // The places without a tenth, and half of them.
                #expect(attached.count == 9)
                #expect(refusal.code == .full)
                #expect(refusal.reason.contains("9 peers of the key 'wall'"), "\(refusal.reason)")
                _ = try await host.attached("lobby", role: .worker)
            }
        }
    }
}
