extension ScreenContent {
    /// A field that the user can fill in.
    ///
    /// The value of a secret stays in the process: it is neither encoded nor part of any description.
    public struct Field: Hashable, Sendable {
        /// The key of the value in the fields that an action is performed with.
        public var name: String
        /// The text that the user sees.
        public var label: String
        /// The current value.
        public var value: String
        /// Whether the value must not be shown, as with a password or a token.
        public var isSecret: Bool

        /// Makes a field.
        /// - Parameter label: The text that the user sees; the name if it is left out.
        public init(name: String, label: String? = nil, value: String = "", isSecret: Bool = false) {
            self.name = name
            self.label = label ?? name
            self.value = value
            self.isSecret = isSecret
        }

        /// The value as it may be shown. The length of a secret is hidden as well.
        var shownValue: String {
            guard isSecret, !value.isEmpty else { return value }
            return "••••••"
        }
    }
}

extension ScreenContent.Field: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, label, value, isSecret
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        label = try container.decode(String.self, forKey: .label)
        value = try container.decodeIfPresent(String.self, forKey: .value) ?? ""
        isSecret = try container.decodeIfPresent(Bool.self, forKey: .isSecret) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(label, forKey: .label)
        if !isSecret { try container.encode(value, forKey: .value) }
        try container.encode(isSecret, forKey: .isSecret)
    }
}

// All three are needed to hide secrets: `print`, the interpolation of an enclosing value, and `dump` each use another
// one.
extension ScreenContent.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(label): \(shownValue)  (\(name))" }

    /// The same as `description`, without the value of a secret.
    public var debugDescription: String { description }

    /// The properties, without the value of a secret.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["name": name, "label": label, "value": shownValue, "isSecret": isSecret],
            displayStyle: .struct)
    }
}
