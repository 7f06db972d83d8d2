import ArgumentParser
import OperatorKit

/// Counts the conformances for which a scene worker's start makes the Swift runtime search.
struct ConformancesMode: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "conformances",
        abstract:
            "Counts the conformances that the runtime has searched when a new worker's scene gets its first reply.",
        discussion: """
            When the Swift runtime is first asked whether a type conforms to a protocol, it searches all conformances of \
            the process. One search of a class or of a generic type may count twice or three times.
            """)
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Flag(help: "Also print each type and protocol.") var list = false

    func validate() throws {
        guard !list || !json else { throw ValidationError("--list and --json exclude each other") }
    }

    func measure() async throws -> Comparison { try await conformances().comparison }

    func execute() async throws {
        let (comparison, conformances) = try await conformances()
        try comparison.show(json: json)
        guard list else { return }
        for conformance in conformances { print(conformance) }
    }

    /// - Returns: the median of their numbers, and those of the last worker.
    @MainActor
    private func conformances() async throws -> (comparison: Comparison, last: [String]) {
        var last: [String] = []
        let comparison = try await options.measure("conformances", ["searched"]) { host in
            last = try await BenchOptions.withSessions(1, host) {
                let worker = try await BenchProcess("scenebus-bench-peer", ["conformances", host])
                defer { worker.finish() }
                let count = try worker.figures()["searched"] ?? 0
                return try (0..<Int(count)).map { _ in try worker.line() }
            }
            return ["searched": Double(last.count)]
        }
        return (comparison, last)
    }
}
