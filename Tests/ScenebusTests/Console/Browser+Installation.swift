// For all tests of this target that speak to the console.
@_exported public import LabBrowser
import Testing

extension Browser {
    /// Runs a browser for the duration of a body.
    static func run(
        in installation: Installation, of person: String = "profile", runsScripts: Bool = true,
        _ body: (Browser) async throws -> Void
    ) async throws {
        try await run(in: installation.folder, of: person, runsScripts: runsScripts, body)
    }

    /// Waits until an expression is true.
    func until(_ expression: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        do {
            try await waitUntil(expression)
        } catch {
            try #require(Bool(false), "\(error)", sourceLocation: sourceLocation)
        }
    }
}
