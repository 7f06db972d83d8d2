import PeerLink
import OperatorKit
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
    func texts() async throws -> [String: String] {
        Dictionary(try fields.map { ($0.name, try $0.read()) }, uniquingKeysWith: { $1 })
    }

    /// Reads the values as CBOR, for the fields of a message.
    ///
    /// Only a value given as an argument is parsed as a number, `true`, `false`, `null` or JSON. A value from any other
    /// source is a text, so that a password of digits stays a text.
    /// - Throws: ``CommandError`` when a value cannot be read.
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
