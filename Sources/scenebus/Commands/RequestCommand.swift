import ArgumentParser
import Bus
import CBOR
import CoordinatorKit
import Link

struct RequestCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Sends a request to the top of the chain and prints its reply.",
        discussion: """
            A value is a number, true, false, null, a JSON list or object, else a text.

            The request is sent at most once, also when its message is declared @Idempotent or @Once: the host keeps no record \
            of it, and it is not sent again when the link breaks. The error says when it may have been handled all the same.

            EXAMPLE:
              scenebus request accountLogin username=ada password=secret123
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "The message's name.") var message: String
    @Argument(help: "Its fields, each as field=value.") var values: [String] = []
    @Option(help: "The session in whose name to send it.") var session: String?

    func execute() async throws {
        let fields = Dictionary(
            try fields(values).map { ($0.0, CBORValue(argument: $0.1)) }, uniquingKeysWith: { $1 })
        let payload = try CBOREncoder().encode(fields)
        let reply = try await client.withHost { host in
            var frame = Frame(.request)
            frame.name = message
            frame.sender = "scenebus"
            frame.session = session ?? ""
            frame.trace = .newTrace()
            frame.payload = payload[...]
            return try await host.link.request(frame.encoded(), message: message)
        }
        let value = try CBORValue(decoding: reply)
        if client.json { print(value.json) } else { printLine(value.diagnostic) }
    }
}
