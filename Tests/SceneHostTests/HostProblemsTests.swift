import Bus
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// What is wrong with a host, as operators see it.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostProblemsTests {
        @Test("A problem that is not a manifest's is not one of the plugins'")
        func kinds() async throws {
            try await withHost { live in
                let client = try await live.client()
                #expect(try await client.chain.hostStatus().pluginProblems == nil)
                try await live.until("the problem is reported") {
                    // The host looks at its folder from time to time, which ends the problem.
                    live.host.life?.problems.runtime = "it is gone"
                    let status = try await client.chain.hostStatus()
                    #expect(status.pluginProblems == nil)
                    return status.problems == ["runtime folder: it is gone"]
                }
            }
        }
    }
}
