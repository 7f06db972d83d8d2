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
            The value of name=value may be a number, true, false, null, or a JSON list or object; any other value is a \
            text. A value from a file, standard input or the terminal is always a text.

            A field is a secret if the message declares it as one, whatever its name. The command asks for such a field \
            on the terminal if it is left out. A name that ends in password, passphrase, secret or token marks a secret, \
            too, also inside a JSON list or object. In the reply, a secret is shown as ••••••.

            The request is sent at most once, even if its message is declared @Idempotent or @Once: the host keeps no \
            record of it, and it is not sent again when the link is lost. If the request may have been handled \
            although it failed, the error says so.

            EXAMPLES:
              scenebus request accountLogin username=ada
              scenebus request accountLogin username=ada password@- < password.txt
            """)
    @OptionGroup var client: ClientOptions
    @Argument(help: "The message's name.") var message: String
    @Argument(help: "Its fields, each as name=value, name@FILE, name@- or name@.") var values: [String] = []
    @Option(help: "The session on whose behalf to send the request.") var session: String?

    func execute() async throws {
        let fields = try FieldArguments(values)
        try fields.refuseSecretsInValues()
        let reply = try await client.withHost { host in
            let secrets = try await DeclaredSecrets(of: message, at: host)
            let fields = try secrets.completing(fields)
            let payload = try CBOREncoder().encode(try await fields.values(secrets.contains))
            var frame = Frame(.request)
            frame.name = message
            frame.sender = "scenebus"
            frame.session = session ?? ""
            frame.trace = .newTrace()
            frame.payload = payload[...]
            do {
                return try await host.link.request(frame.encoded(), message: message)
            } catch let error as MessageError where error.code == .unhandled && !error.mayHaveBeenHandled {
                throw Self.advised(error)
            }
        }
        let value: CBORValue
        do {
            value = try CBORValue(decoding: reply)
        } catch {
            throw CommandError(
                .failure,
                "'\(message)' has been handled, but its reply of \(reply.count) bytes cannot be read: \(error)")
        }
        if client.json { printJSON(value) } else { printLine(value.diagnostic) }
    }

    /// The error for a message that no responder handles. Those of the console have its name.
    private static func advised(_ error: MessageError) -> any Error {
        guard error.message.hasPrefix("console"), error.message.dropFirst(7).first?.isUppercase == true else {
            return error
        }
        return CommandError(
            .refused,
            "no responder handles '\(error.message)': the console is not attached to this host; 'scenebus plugins ls' lists "
                + "what is. A host starts it with '--plugins', and the folder Plugins/Console of SceneBus")
    }
}
