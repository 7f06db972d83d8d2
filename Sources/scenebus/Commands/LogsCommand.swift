import ArgumentParser
import Bus
import Messaging
import PeerLink
import OperatorKit

struct LogsCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Shows the output of a process that the host has started.",
        discussion: """
            The host keeps the last 500 lines, at most 256 KiB, of the current process of a plugin or worker, and as \
            much of the previous process.

            EXAMPLES:
              scenebus logs machine
              scenebus logs controlroom-1 --previous
              scenebus logs accounts -f
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "The plugin or worker, as 'scenebus plugins ls' lists it.") var peer: String
    @Flag(name: .shortAndLong, help: "Follow the output until Ctrl-C, also after a restart of the process.")
    var follow = false
    @Flag(help: "Show the output of the previous process.") var previous = false

    /// The time between two requests for new lines.
    private static let interval = Duration.milliseconds(500)

    func validate() throws {
        if follow && previous { throw ValidationError("-f cannot follow the --previous process: it has ended") }
    }

    func execute() async throws {
        let host = try await HostClient(client)
        defer { host.close() }
        let reading: @MainActor @Sendable () async throws -> Void = { try await read(from: host) }
        guard follow else { return try await reading() }
        try await untilInterrupted(reading)
    }

    @MainActor
    private func read(from host: HostClient) async throws {
        var known: LogLine?
        var after: UInt64?
        var epoch = host.welcome.epoch
        if follow { host.sayWhenAway() }
        while true {
            let page: LogPage
            do {
                page = try await host.chain.hostLogs(instance: peer, previous: previous, after: after)
            } catch let error as MessageError where follow && (error.code == .peerLost || error.code == .timeout) {
                // The link is lost, which the client has reported. Reading lines again is safe.
                if let refusal = host.refusal { throw refusal }
                try await Task.sleep(for: Self.interval)
                continue
            }
            // The host was restarted. Its line numbers start again, so the next request must start from 0.
            if let present = host.link.welcome?.epoch, present != epoch {
                epoch = present
                after = 0
                if known != nil { StandardError.write("scenebus: '\(peer.printable)' was started again") }
                known = nil
                continue
            }
            if after == nil, page.lines.isEmpty {
                StandardError.write(
                    previous
                        ? "scenebus: no process before the present one has written anything"
                        : "scenebus: '\(peer.printable)' has written nothing since it was started (set "
                            + "SCENEBUS_LOG=info for the host to log more)")
            }
            for line in page.lines {
                try show(line, after: known)
                known = line
            }
            flushOutput()
            after = page.last
            if page.hasMore { continue }
            guard follow else { return }
            try await Task.sleep(for: Self.interval)
        }
    }

    @MainActor
    private func show(_ line: LogLine, after known: LogLine?) throws {
        if client.json { return try printJSON(line) }
        if let known, line.start != known.start {
            StandardError.write("scenebus: '\(peer)' was started again")
        } else if let known, line.number > known.number + 1 {
            StandardError.write("scenebus: \(line.number - known.number - 1) lines were dropped before they were read")
        }
        printLine(line.text)
    }
}
