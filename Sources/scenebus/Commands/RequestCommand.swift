import OperatorKit
import ArgumentParser
import Bus
import CBOR
import Messaging
import PeerLink

struct RequestCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Sends a request to the top of the chain and prints its reply.",
        discussion: """
            \(FieldArgument.help)
            What stands in the arguments is a number, true, false, null, a JSON list or object, else a text; what is read is a \
            text. A name that ends in password, passphrase, secret or token is that of a secret, also inside a JSON list or object.

            The request is sent at most once, also when its message is declared @Idempotent or @Once: the host keeps no record \
            of it, and it is not sent again when the link breaks. The error says when it may have been handled all the same.

            EXAMPLES:
              scenebus request accountLogin username=ada password@
              scenebus request accountLogin username=ada password@- < password.txt
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "The message's name.") var message: String
    @Argument(help: "Its fields, each as name=value, name@FILE, name@- or name@.") var values: [String] = []
    @Option(help: "The session in whose name to send it.") var session: String?

    func execute() async throws {
        let fields = try FieldArguments(values)
        try fields.refuseSecretsInValues()
        let reply = try await client.withHost { host in
            let payload = try CBOREncoder().encode(try await fields.values())
            var frame = Frame(.request)
            frame.name = message
            frame.sender = "scenebus"
            frame.session = session ?? ""
            frame.trace = .newTrace()
            frame.payload = payload[...]
            return try await host.link.request(frame.encoded(), message: message)
        }
        let value = try CBORValue(decoding: reply)
        if client.json { printJSON(value) } else { printLine(value.diagnostic) }
    }
}
