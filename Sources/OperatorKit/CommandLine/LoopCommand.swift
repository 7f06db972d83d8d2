import PeerLink
package import ArgumentParser
import Glibc
import Messaging
import ZeroMQ

/// A command that runs on the main loop.
package protocol LoopCommand: ParsableCommand, Sendable {
    /// Runs the command.
    /// - Throws: any error; ``CommandError`` maps it to an exit code. `ExitCode` ends the process without a message.
    @MainActor func execute() async throws
}

extension LoopCommand {
    package func run() throws {}
}

extension ParsableCommand {
    /// Parses the arguments and runs the command that they name. Never returns.
    ///
    /// Call it first in a synchronous `main`.
    /// - Parameters:
    ///   - name: the program's name, the prefix of each error message.
    ///   - arguments: the arguments; `nil` for those of the process.
    package static func runAsProcess(_ name: String, arguments: [String]? = nil) -> Never {
        let command: any ParsableCommand
        do {
            command = try parseAsRoot(arguments ?? Array(ProcessArguments.all.dropFirst()))
        } catch {
            end(parsing: error)
        }
        guard let command = command as? any LoopCommand else { help(command) }
        MainLoop.run { await exitCode(of: command, name) }
    }

    @MainActor private static func exitCode(of command: any LoopCommand, _ name: String) async -> Int32 {
        defer { StandardOutput.flush() }
        do {
            try await command.execute()
            return 0
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            let error = CommandError(error)
            StandardOutput.flush()
            StandardError.write("\(name): \(error.message.printableLines)")
            return error.code.rawValue
        }
    }

    /// Runs a command that only prints its help, such as a group without a subcommand.
    private static func help(_ command: any ParsableCommand) -> Never {
        var command = command
        do {
            try command.run()
            Glibc.exit(0)
        } catch {
            end(parsing: error)
        }
    }

    private static func end(parsing error: any Error) -> Never {
        guard exitCode(for: error) != .success else {
            StandardOutput.write(fullMessage(for: error))
            StandardOutput.flush()
            Glibc.exit(0)
        }
        StandardError.write(fullMessage(for: error))
        Glibc.exit(ProcessExitCode.usage.rawValue)
    }
}
