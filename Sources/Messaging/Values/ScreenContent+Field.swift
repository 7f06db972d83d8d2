extension ScreenContent {
    /// Something that the user can fill in.
    ///
    /// The value of a secret stays in the process: it is neither encoded nor part of any description.
    public struct Field: Hashable, Sendable {
        /// What the value is called when an action is performed.
        public var name: String
        /// What the user reads.
        public var label: String
        /// What is filled in now.
        public var value: String
        /// Whether nobody may read the value: a password, a token.
        public var isSecret: Bool

        /// - Parameter label: the name when it is left out.
        public init(name: String, label: String? = nil, value: String = "", isSecret: Bool = false) {
            self.name = name
            self.label = label ?? name
            self.value = value
            self.isSecret = isSecret
        }

        /// The value as it may be shown. For a secret its length is hidden too.
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

// All three, because print, string interpolation of an enclosing value, and dump each look at another one.
extension ScreenContent.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(label): \(shownValue)  (\(name))" }

    /// As the description: without the value of a secret.
    public var debugDescription: String { description }

    /// The parts, without the value of a secret.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["name": name, "label": label, "value": shownValue, "isSecret": isSecret],
            displayStyle: .struct)
    }
}
