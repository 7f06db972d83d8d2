import Bus
import CBOR
import Messaging
import OperatorKit

/// The fields of a message that its declaration calls secrets, whatever their names.
struct DeclaredSecrets {
    let fields: [SecretField]

    /// Asks the host.
    ///
    /// It knows them while a process is attached that handles the message. An older host does not answer, and neither does
    /// one to a key that may not ask: then only the names of fields tell.
    @MainActor
    init(of message: String, at host: HostClient) async throws {
        do {
            fields = try await host.chain.hostSecretFields(message: message)
        } catch let error as MessageError where [.unhandled, .unauthorized].contains(error.code) {
            fields = []
        }
    }

    /// Whether a field is a secret, by its declaration or by its name.
    @Sendable func contains(_ name: String) -> Bool {
        fields.contains { $0.name == name } || FieldArgument.isSecret(name)
    }

    /// The arguments, and the secrets that the message needs and that are not among them, which the terminal asks for.
    /// - Throws: ``CommandError`` for a secret whose value is an argument.
    func completing(_ arguments: FieldArguments) throws -> FieldArguments {
        try arguments.refuseSecrets(contains)
        let given = Set(arguments.fields.map(\.name))
        let missing = fields.filter { !$0.isOptional && !given.contains($0.name) }
        return FieldArguments(arguments.fields + missing.map { FieldArgument(asking: $0.name) })
    }
}
