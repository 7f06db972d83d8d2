import CBOR
import OperatorKit
import PeerLink

/// Secrets are refused as arguments, which every user of the machine can read.
extension FieldArgument {
    /// Whether the name marks the value as a secret.
    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["password", "passphrase", "secret", "token"].contains { name.hasSuffix($0) }
    }

    /// Refuses a secret whose value is an argument.
    /// - Throws: ``CommandError`` for such a secret; its message names the other ways to pass it.
    func refuse(ifSecret isSecret: Bool) throws {
        guard isSecret, case .argument = source else { return }
        throw CommandError(
            .usage,
            """
            '\(name)' is a secret, and every user of this machine can read a command's arguments; nothing was sent
            use '\(name)@' for a prompt, '\(name)@-' to read it from standard input, or '\(name)@FILE'
            if it was a real secret, change it: it may also be in the shell's history
            """)
    }

    /// The first key that marks a secret, inside a list or an object given as the argument's value.
    var secretInside: String? {
        guard case .argument(let text) = source else { return nil }
        return CBORValue(argument: text).key(where: Self.isSecret)
    }

    /// Refuses a secret in `--configure`: every user of the machine can read the arguments while the host runs.
    static func refuseSecret(inOverride text: String) throws {
        // A malformed override is refused where it is applied.
        guard let field = try? FieldArgument(text), case .argument = field.source else { return }
        let key = field.name.split(separator: ".").last.map(String.init) ?? ""
        let inside = field.secretInside
        guard isSecret(key) || inside != nil else { return }
        let name = inside.map { "\(field.name).\($0)" } ?? field.name
        throw CommandError(
            .usage,
            """
            '\(inside ?? key)' is a secret, and every user of this machine can read a command's arguments: write it in \
            plugin.json, or as \(name)@FILE
            if it was a real secret, change it: it may also be in the shell's history
            """)
    }
}

extension FieldArguments {
    /// Refuses secrets whose values are arguments.
    /// - Parameter isSecret: whether a field of that name is a secret.
    /// - Throws: ``CommandError`` for the first such secret.
    func refuseSecrets(_ isSecret: (_ name: String) -> Bool = FieldArgument.isSecret) throws {
        for field in fields { try field.refuse(ifSecret: isSecret(field.name)) }
    }

    /// Refuses secrets whose values are arguments, also inside lists and objects.
    /// - Throws: ``CommandError`` for the first such secret.
    func refuseSecretsInValues() throws {
        try refuseSecrets()
        for field in fields {
            guard let key = field.secretInside else { continue }
            throw CommandError(
                .usage,
                """
                '\(field.name)' holds the secret '\(key)', and every user of this machine can read a command's \
                arguments; nothing was sent
                pass the secret as a separate field, such as '\(key)@FILE'; for a scene's fields use 'scenebus scene \
                act'
                if it was a real secret, change it: it may also be in the shell's history
                """)
        }
    }
}

extension CBORValue {
    /// The first key of an object, at any depth, that satisfies the predicate.
    func key(where fits: (String) -> Bool) -> String? {
        switch self {
        case .array(let elements):
            for element in elements {
                if let key = element.key(where: fits) { return key }
            }
        case .map(let map):
            for entry in map.entries {
                if let key = entry.key.stringValue, fits(key) { return key }
                if let key = entry.value.key(where: fits) { return key }
            }
        default: break
        }
        return nil
    }
}
