import ArgumentParser
import OperatorKit

/// Counts the conformances that the Swift runtime searches for when a scene worker starts.
struct ConformancesMode: BenchMode {
    static let configuration = CommandConfiguration(
        commandName: "conformances",
        abstract:
            "Counts the conformances that the runtime searches for until a new worker's scene gets its first reply.",
        discussion: """
            When the Swift runtime is first asked whether a type conforms to a protocol, it searches all conformances of \
            the process. One search for a class or for a type made from a generic one may count two or three times.
            """)
    @OptionGroup var options: BenchOptions
    var json: Bool { options.json }
    @Flag(help: "Also print each type and protocol.") var list = false

    func validate() throws {
        guard !list || !json else { throw ValidationError("--list and --json exclude each other") }
    }

    func measure() async throws -> Comparison { try await conformances().comparison }

    func execute() async throws { try await BenchInterruption.run(show) }

    @MainActor
    private func show() async throws {
        let (comparison, conformances) = try await conformances()
        try comparison.show(json: json)
        guard list else { return }
        for conformance in conformances { printLine(conformance) }
    }

    /// - Returns: the median of the workers' numbers, and the shortest list. On a busy machine, a worker may do something
    ///   else before the reply, such as send a scene's state.
    @MainActor
    private func conformances() async throws -> (comparison: Comparison, shortest: [String]) {
        var lists: [[String]] = []
        let comparison = try await options.measure("conformances", ["searched"]) { host in
            let list = try await BenchOptions.withSessions(1, host) {
                let worker = try await BenchProcess("scenebus-bench-peer", ["conformances", host])
                defer { worker.finish() }
                let count = try worker.figures()["searched"] ?? 0
                return try (0..<Int(count)).map { _ in try worker.line() }
            }
            lists.append(list)
            return ["searched": Double(list.count)]
        }
        return (comparison, lists.min { $0.count < $1.count } ?? [])
    }
}
