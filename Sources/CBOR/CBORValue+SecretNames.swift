/// The names that say that a value is a secret, for texts of which no type says it, such as the arguments of a command.
package enum SecretName {
    /// Whether a name marks its value as a secret.
    package static func marks(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["password", "passphrase", "secret", "token"].contains { name.hasSuffix($0) }
    }
}

extension CBORValue {
    /// The first key of an object, at any depth, that marks its value as a secret.
    package var secretKey: String? {
        switch self {
        case .array(let elements):
            for element in elements {
                if let key = element.secretKey { return key }
            }
        case .map(let map):
            for entry in map.entries {
                if let key = entry.key.stringValue, SecretName.marks(key) { return key }
                if let key = entry.value.secretKey { return key }
            }
        default: break
        }
        return nil
    }
}
