import PeerLink
import ArgumentParser
import Foundation
import Glibc
import Messaging
import OperatorKit

/// Runs `scenebus-bench` from this program's folder. It is a separate program because most installations do not need
/// it.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures this build and raw libzmq in C in the same run.")

    @Argument(parsing: .captureForPassthrough, help: "The arguments of the benchmark; --help lists them.")
    var arguments: [String] = []

    func run() throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let bench = own.appendingPathComponent("scenebus-bench").path
        var argv = ([bench] + arguments).map { strdup($0) } + [nil]
        defer { for argument in argv { free(argument) } }
        execv(bench, &argv)
        StandardError.write(
            "scenebus: cannot start \(bench): \(String(cString: strerror(errno))); build it with 'swift build'")
        Glibc.exit(ProcessExitCode.failure.rawValue)
    }
}
