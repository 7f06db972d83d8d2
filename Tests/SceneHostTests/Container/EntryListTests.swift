import Bus
import CoordinatorKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// The list of the container's entries that operators get, page by page.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct EntryListTests {
        @Test("All entries are listed although one change has set more of them than a page holds")
        func oneChange() async throws {
            try await withHost { live in
                let keys = (0..<1500).map { "key\($0)" }
                var container = AppDependency()
                for key in keys { container.setValue(0, of: key) }
                live.host.application.delegate.appDependency = container
                let client = try await live.client()
                let entries = try await client.chain.hostDependencies()
                #expect(Set(entries.map(\.revision)).count == 1)
                #expect(entries.map(\.key) == keys.sorted())
            }
        }
    }
}
