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
            much of the previous process. Without -f the command ends with what there was when it began.

            A line that has no end yet, such as a prompt, is shown as it is. With -f it is shown when it has not changed \
            for half a second, and again, whole, if it has changed when it ends. In JSON such a line has \
            "isUnfinished": true. Of a line that is written over again and again, such as a progress, the last state is \
            shown. Tabs stay; colours, and whatever else would act on the terminal, are left out. JSON leaves out nothing.

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
        let reading: @MainActor @Sendable () async throws -> Void = {
            if follow { try await self.follow(host) } else { try await printAll(from: host) }
        }
        guard follow else { return try await reading() }
        try await untilInterrupted(reading)
    }

    /// Prints the lines that there are now, and those without an end.
    @MainActor
    private func printAll(from host: HostClient) async throws {
        var shown = ShownLog()
        var page = try await host.chain.hostLogs(instance: peer, previous: previous, after: nil)
        // A process that writes faster than this command reads would have new lines for ever.
        let newest = page.newest ?? page.last
        let unfinished = page.unfinished ?? []
        if page.lines.isEmpty, unfinished.isEmpty { sayEmpty(page) }
        while true {
            for line in page.lines where line.number <= newest { try show(line, &shown) }
            flushOutput()
            guard page.hasMore, page.last < newest else { break }
            page = try await host.chain.hostLogs(instance: peer, previous: previous, after: page.last)
        }
        shown.sayDropped(before: newest + 1)
        for line in unfinished { try showUnfinished(line) }
    }

    @MainActor
    private func follow(_ host: HostClient) async throws {
        var shown = ShownLog()
        var after: UInt64?
        var epoch = host.welcome.epoch
        host.sayWhenAway()
        while true {
            let page: LogPage
            do {
                page = try await host.chain.hostLogs(instance: peer, previous: previous, after: after)
            } catch let error as MessageError where error.code == .peerLost || error.code == .timeout {
                // The link is lost, which the client has reported. Reading lines again is safe.
                if let refusal = host.refusal { throw refusal }
                try await Task.sleep(for: Self.interval)
                continue
            }
            // The host was restarted. Its line numbers start again, so the next request must start from 0.
            if let present = host.link.welcome?.epoch, present != epoch {
                epoch = present
                after = 0
                if shown.known != nil { StandardError.write("scenebus: '\(peer.printable)' was started again") }
                shown = ShownLog()
                continue
            }
            let unfinished = page.unfinished ?? []
            if after == nil, page.lines.isEmpty, unfinished.isEmpty { sayEmpty(page) }
            for line in page.lines { try show(line, &shown) }
            after = page.last
            if page.hasMore {
                flushOutput()
                continue
            }
            for line in shown.settled(unfinished) { try showUnfinished(line) }
            flushOutput()
            try await Task.sleep(for: Self.interval)
        }
    }

    private func sayEmpty(_ page: LogPage) {
        if !previous, let reason = page.notStarted {
            return StandardError.write("scenebus: '\(peer.printable)' was not started: \(reason.printable)")
        }
        StandardError.write(
            previous
                ? "scenebus: no process before the present one has written anything"
                : "scenebus: '\(peer.printable)' has written nothing since it was started (set SCENEBUS_LOG=info for the "
                    + "host to log more)")
    }

    private func show(_ line: LogLine, _ shown: inout ShownLog) throws {
        let known = shown.known
        let isNew = shown.add(line)
        if client.json { return try printJSON(line) }
        if let known, line.start != known.start {
            StandardError.write("scenebus: '\(peer.printable)' was started again")
        } else {
            ShownLog.sayDropped(after: known, before: line.number)
        }
        if isNew { StandardOutput.write(line.text.printableOutput) }
    }

    private func showUnfinished(_ line: LogLine) throws {
        guard client.json else { return StandardOutput.write(line.text.printableOutput) }
        try printJSON(UnfinishedLine(line: line))
    }

    /// A line without an end, as it is printed in JSON.
    private struct UnfinishedLine: Encodable {
        let line: LogLine

        private enum Key: CodingKey { case isUnfinished }

        func encode(to encoder: any Encoder) throws {
            try line.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(true, forKey: .isUnfinished)
        }
    }
}
