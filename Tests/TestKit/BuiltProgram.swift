import FoundationEssentials
package import Subprocess
import SystemPackage

/// The programs of this package, which are built beside the tests.
package enum BuiltProgram {
    /// The folder of the programs, which is also the test bundle's.
    package static let folder = URL(
        fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    ).deletingLastPathComponent().path

    /// Runs a program until it exits. It is killed when the calling task is cancelled.
    /// - Parameter environment: Variables that the program gets in addition to those of this process.
    /// - Returns: The exit code, or 128 plus the signal's number when a signal ended the program, as in a shell; and
    ///   the standard error.
    /// - Throws: An error when the program cannot be started.
    package static func run(
        _ name: String, environment: [String: String] = [:]
    ) async throws -> (code: Int32, error: String) {
        var variables: [Environment.Key: String?] = [:]
        for (key, value) in environment { variables[Environment.Key(stringLiteral: key)] = value }
        let result = try await Subprocess.run(
            .path(FilePath("\(folder)/\(name)")), environment: .inherit.updating(variables), input: .none,
            output: .discarded, error: .string(limit: 1 << 20))
        return (result.terminationStatus.shellCode, result.standardError)
    }
}

extension TerminationStatus {
    /// The exit code, or 128 plus the signal's number when a signal ended the process, as in a shell.
    package var shellCode: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
