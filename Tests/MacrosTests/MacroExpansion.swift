import Subprocess
import SystemPackage
import TestKit
import Testing

/// The compiler's result for a source text with this package's macros.
struct MacroExpansion {
    /// A diagnostic that the compiler shows.
    struct Problem: Hashable, CustomStringConvertible {
        let id: String
        let line: Int
        let message: String

        var description: String { "\(line): \(message) [\(id)]" }
    }

    let text: String
    let problems: [Problem]
    /// Whether the expanded text is valid Swift.
    let isWellFormed: Bool

    /// Expands a text with the compiler's plugin, which prints the problems before the text.
    init(_ source: String) async throws {
        let result = try await Subprocess.run(
            .path(FilePath("\(BuiltProgram.folder)/CoordinatorMacros-tool")), arguments: ["--expand"],
            input: .string(source), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        var rest = result.standardOutput[...]
        var (problems, isWellFormed) = ([Problem](), true)
        while rest.hasPrefix("// ") {
            let line = rest.prefix { $0 != "\n" }
            rest = rest.dropFirst(line.count + 1)
            let fields = line.dropFirst(3).split(separator: "\t")
            if fields.count == 3, let number = Int(fields[0]) {
                problems.append(Problem(id: String(fields[1]), line: number, message: String(fields[2])))
            } else {
                isWellFormed = false
            }
        }
        text = String(rest)
        self.problems = problems
        self.isWellFormed = isWellFormed
    }
}

/// Compares the whole expansion, for expansions that are short enough to read.
func expectExpansion(
    of source: String, _ expanded: String, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let expansion = try await MacroExpansion(source)
    #expect(expansion.problems == [], sourceLocation: sourceLocation)
    #expect(expansion.text == expanded, sourceLocation: sourceLocation)
}
