import CBOR
package import Messaging

/// What a person has typed into the fields of a scene, by the fields' names.
///
/// It is a map of texts. Those that nobody may see have the tag of secrets.
package struct ActionFields: Hashable, Sendable {
    /// What may be seen.
    private var plain: [String: String]
    private var secrets: [String: Secret<String>]

    /// - Parameter secrets: what nobody may see. A field that is in both has this value.
    package init(_ plain: [String: String], secrets: [String: Secret<String>] = [:]) {
        self.plain = plain
        self.secrets = secrets
    }

    /// All values in plain, for the screen that handles the action.
    package var revealed: [String: String] { plain.merging(secrets.mapValues(\.revealed)) { $1 } }
}

extension ActionFields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements) { $1 })
    }
}

extension ActionFields: Codable {
    /// One value.
    private enum Text: Codable {
        case plain(String)
        case secret(Secret<String>)

        init(from decoder: any Decoder) throws {
            switch try CBORValue(from: decoder) {
            case .string(let text): self = .plain(text)
            case .secret(let value):
                guard let text = value.revealed.stringValue else { throw Self.error(decoder) }
                self = .secret(Secret(text))
            default: throw Self.error(decoder)
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .plain(let text): try text.encode(to: encoder)
            case .secret(let text): try text.encode(to: encoder)
            }
        }

        private static func error(_ decoder: any Decoder) -> DecodingError {
            .typeMismatch(
                String.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "A field's value is a text."))
        }
    }

    package init(from decoder: any Decoder) throws {
        (plain, secrets) = ([:], [:])
        for (name, text) in try [String: Text](from: decoder) {
            switch text {
            case .plain(let text): plain[name] = text
            case .secret(let text): secrets[name] = text
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        try plain.mapValues(Text.plain).merging(secrets.mapValues(Text.secret)) { $1 }.encode(to: encoder)
    }
}
