import PeerLink
import OperatorKit
import Bus
import CBOR
import Glibc

/// A field of a message or a scene, given as an argument: its name, and its value or the source of the value.
struct FieldArgument: Equatable {
    enum Source: Equatable {
        case argument(String)
        /// The next line of standard input.
        case standardInput
        /// A prompt on the terminal that does not echo.
        case terminal
        case file(String)
    }

    /// The help text about fields, for the commands that take them.
    static let help = """
        A field is one of
          name=value   the value itself
          name@FILE    the text of a file, without its final line break
          name@-       the next line of standard input
          name@        a prompt on the terminal that does not show what is typed
        A secret is refused as name=value, because every user of the machine can read a command's arguments.
        """

    let name: String
    let source: Source

    /// A field whose value the terminal asks for.
    init(asking name: String) {
        self.name = name
        source = .terminal
    }

    /// Parses an argument.
    /// - Throws: ``CommandError`` for an argument without a name, or with neither `=` nor `@`.
    init(_ argument: String) throws {
        guard let end = argument.firstIndex(where: { $0 == "=" || $0 == "@" }), end > argument.startIndex else {
            throw CommandError(.usage, "'\(argument)' is not of the form name=value, name@FILE, name@- or name@")
        }
        name = String(argument[..<end])
        let rest = String(argument[argument.index(after: end)...])
        source =
            switch (argument[end], rest) {
            case ("=", _): .argument(rest)
            case (_, ""): .terminal
            case (_, "-"): .standardInput
            default: .file(rest)
            }
    }

    /// Reads the value. Blocks until standard input or the terminal provides it.
    /// - Throws: ``CommandError``; its message does not contain the value.
    func read() throws -> String {
        switch source {
        case .argument(let text): text
        case .terminal: try TerminalPrompt.ask(for: name)
        // Standard input is a terminal, which would echo what is typed.
        case .standardInput where isatty(STDIN_FILENO) == 1: try TerminalPrompt.ask(for: name)
        case .standardInput: try FieldInput.line(for: name)
        case .file(let path): try FieldInput.file(path, for: name)
        }
    }
}

/// All fields of a command.
struct FieldArguments {
    let fields: [FieldArgument]

    init(_ fields: [FieldArgument]) { self.fields = fields }

    /// Parses the arguments.
    /// - Throws: ``CommandError`` for the first malformed argument.
    init(_ arguments: [String]) throws {
        fields = try arguments.map { try FieldArgument($0) }
    }

    /// Whether any value is given in the arguments themselves.
    var standInArguments: Bool {
        fields.contains { if case .argument = $0.source { true } else { false } }
    }

    /// Reads the values as texts, for the fields of a scene. The last of several fields with the same name counts.
    /// - Throws: ``CommandError`` when a value cannot be read.
    @concurrent
    func texts() async throws -> ActionFields {
        var plain: [String: String] = [:]
        var secrets: [String: Secret<String>] = [:]
        for field in fields {
            let text = try field.read()
            if case .argument = field.source {
                (plain[field.name], secrets[field.name]) = (text, nil)
            } else {
                // The scene knows which fields are secrets. What is not in the arguments counts as one on its way.
                secrets[field.name] = Secret(text)
            }
        }
        return ActionFields(plain, secrets: secrets)
    }

    /// Reads the values as CBOR, for the fields of a message.
    ///
    /// Only a value given as an argument is parsed as a number, `true`, `false`, `null` or JSON. A value from any other
    /// source is a text, so that a password of digits stays a text.
    /// - Parameter isSecret: whether a field of that name is sent as a secret.
    /// - Throws: ``CommandError`` when a value cannot be read.
    @concurrent
    func values(_ isSecret: @Sendable (_ name: String) -> Bool = { _ in false }) async throws -> [String: CBORValue] {
        let values = try fields.map { field -> (String, CBORValue) in
            let text = try field.read()
            if case .argument = field.source { return (field.name, CBORValue(argument: text)) }
            let value = CBORValue.string(text)
            return (field.name, isSecret(field.name) ? .secret(Secret(value)) : value)
        }
        return Dictionary(values, uniquingKeysWith: { $1 })
    }
}

/// Secrets are refused as arguments, which every user of the machine can read.
extension FieldArgument {
    /// Whether the name marks the value as a secret.
    static func isSecret(_ name: String) -> Bool { SecretName.marks(name) }

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
        return CBORValue(argument: text).secretKey
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
