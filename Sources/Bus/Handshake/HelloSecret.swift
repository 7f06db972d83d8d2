package import Messaging

/// A secret field of a message, as a peer's hello lists it.
package struct HelloSecret {
    package let message: String
    package let field: SecretField

    package init(message: String, field: SecretField) {
        self.message = message
        self.field = field
    }

    /// The message's name, a dot and the field's name, with a question mark behind a field that may be missing:
    /// "accountLogin.password", "mailConnect.pin?".
    package var text: String { "\(message).\(field.name)\(field.isOptional ? "?" : "")" }

    /// Reads what a peer has listed; `nil` for a text that names no field.
    package init?(_ text: String) {
        // The name of a message may have dots.
        guard let dot = text.lastIndex(of: ".") else { return nil }
        let name = text[text.index(after: dot)...]
        let isOptional = name.last == "?"
        message = String(text[..<dot])
        field = SecretField(String(isOptional ? name.dropLast() : name), isOptional: isOptional)
        guard !message.isEmpty, !field.name.isEmpty else { return nil }
    }
}

extension Hello {
    /// The secret fields of a message that this peer handles.
    package func secretFields(of message: String) -> [SecretField] {
        (secrets ?? []).compactMap(HelloSecret.init).filter { $0.message == message }.map(\.field)
    }
}
