import Glibc
import Subprocess
import SystemPackage

/// Runs the system tools with which a lab is created.
enum Tool {
    /// The path of a tool. Also searches the folders of system tools, which may be missing from PATH.
    static func path(of name: String) -> String? {
        let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]).map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Runs a tool and waits for its end.
    /// - Returns: its standard output.
    /// - Throws: ``LabError`` with its error messages.
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
