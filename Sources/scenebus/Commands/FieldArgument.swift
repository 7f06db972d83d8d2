import PeerLink
import OperatorKit
import CBOR
import Glibc

/// A field of a message or of a scene as an argument gives it: its name, and its value or where that is read.
struct FieldArgument: Equatable {
    enum Source: Equatable {
        case argument(String)
        /// The next line of standard input.
        case standardInput
        /// Asked for, and not shown.
        case terminal
        case file(String)
    }

    /// For the help of the commands that take fields.
    static let help = """
        A field is one of
          name=value   the value as it stands
          name@FILE    the text of a file, without its last line end
          name@-       the next line of standard input
          name@        asked for on the terminal, and not shown
        Every user of a machine can read the arguments of its commands: a secret is refused as name=value.
        """

    let name: String
    let source: Source

    /// - Throws: ``CommandError`` for an argument without a name, or without `=` and `@`.
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

    /// Whether the name says that nobody may read the value.
    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["password", "passphrase", "secret", "token"].contains { name.hasSuffix($0) }
    }

    /// - Throws: ``CommandError`` when a secret stands in the arguments, with the ways to give it.
    func refuse(ifSecret isSecret: Bool) throws {
        guard isSecret, case .argument = source else { return }
        throw CommandError(.usage,
            """
            '\(name)' is a secret, and every user of this machine can read a command's arguments; it was not sent
            write '\(name)@' to be asked for it, '\(name)@-' to give it on standard input, or '\(name)@FILE'
            if it was a real one, choose another: it may also stand in the shell's history
            """)
    }

    /// A key inside a list or an object that stands in the arguments and whose name says that nobody may read its value.
    var secretInside: String? {
        guard case .argument(let text) = source else { return nil }
        return CBORValue(argument: text).key(where: Self.isSecret)
    }

    /// The value. Waits for standard input, or for somebody who types.
    /// - Throws: ``CommandError``, without the value.
    func read() throws -> String {
        switch source {
        case .argument(let text): text
        case .terminal: try TerminalPrompt.ask(for: name)
        // A terminal would show what is typed.
        case .standardInput where isatty(STDIN_FILENO) == 1: try TerminalPrompt.ask(for: name)
        case .standardInput: try FieldInput.line(for: name)
        case .file(let path): try FieldInput.file(path, for: name)
        }
    }
}

/// All fields of a command.
struct FieldArguments {
    let fields: [FieldArgument]

    /// - Throws: ``CommandError`` for the first that is not of one of the forms.
    init(_ arguments: [String]) throws {
        fields = try arguments.map { try FieldArgument($0) }
    }

    /// Whether the arguments hold any value.
    var standInArguments: Bool {
        fields.contains { if case .argument = $0.source { true } else { false } }
    }

    /// - Throws: ``CommandError`` when a secret stands in the arguments.
    func refuseSecrets(_ isSecret: (_ name: String) -> Bool = FieldArgument.isSecret) throws {
        for field in fields { try field.refuse(ifSecret: isSecret(field.name)) }
    }

    /// - Throws: ``CommandError`` when a secret stands in the arguments, by itself or in a list or an object.
    func refuseSecretsInValues() throws {
        try refuseSecrets()
        for field in fields {
            guard let key = field.secretInside else { continue }
            throw CommandError(.usage,
                """
                '\(field.name)' holds the secret '\(key)', and every user of this machine can read a command's arguments; it was not \
                sent
                give a secret as a field of its own, such as '\(key)@FILE'; those of a scene with 'scenebus scene act'
                if it was a real one, choose another: it may also stand in the shell's history
                """)
        }
    }

    /// Texts, as the fields of a scene are; of two of one name, the last.
    /// - Throws: ``CommandError``
    @concurrent
    func texts() async throws -> [String: String] {
        Dictionary(try fields.map { ($0.name, try $0.read()) }, uniquingKeysWith: { $1 })
    }

    /// Values, as the fields of a message are. Only what stands in the arguments is taken for a number, `true` or JSON where
    /// it looks like one: a password of digits is a text.
    /// - Throws: ``CommandError``
    @concurrent
    func values() async throws -> [String: CBORValue] {
        let values = try fields.map { field -> (String, CBORValue) in
            let text = try field.read()
            if case .argument = field.source { return (field.name, CBORValue(argument: text)) }
            return (field.name, .string(text))
        }
        return Dictionary(values, uniquingKeysWith: { $1 })
    }
}

extension CBORValue {
    /// The first key of an object, at any depth, that fits.
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
