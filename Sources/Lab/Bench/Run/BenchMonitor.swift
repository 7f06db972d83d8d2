import Messaging
import ArgumentParser
import Bus
import OperatorKit

/// A monitor that reads all records and shows none, in its own process. It ends with its standard input.
struct BenchMonitorCommand: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "monitor", shouldDisplay: false)

    @OptionGroup var client: ClientOptions

    func execute() async throws {
        let host = try await HostClient(client, role: .monitor)
        defer { host.close() }
        let listener = try TapSubscriber(
            publisher: host.welcome.publisher, endpoint: client.endpoint, context: host.context
        ) { _ in }
        defer { listener.close() }
        printLine("ready")
        flushOutput()
        await endOfInput()
    }
}
