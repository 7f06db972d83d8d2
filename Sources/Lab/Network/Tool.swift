import Glibc
import Subprocess
import SystemPackage

/// The tools of the machine that a lab is made with.
enum Tool {
    /// Where a tool is. The folders of the system's own tools are not on everybody's path.
    static func path(of name: String) -> String? {
        let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]).map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Runs a tool to its end.
    /// - Returns: what it printed.
    /// - Throws: ``LabError`` with what it complained of.
    @discardableResult
    static func run(_ name: String, _ arguments: [String], input: String = "") async throws -> String {
        guard let path = path(of: name) else { throw LabError("'\(name)' is not installed") }
        let result = try await Subprocess.run(
            .path(FilePath(path)), arguments: Arguments(arguments), input: .string(input),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard result.terminationStatus.isSuccess else {
            let complaint = result.standardError.split(separator: "\n").prefix(3).joined(separator: "; ")
            throw LabError("'\(name) \(arguments.joined(separator: " "))' failed: \(complaint)")
        }
        return result.standardOutput
    }
}
