/// A field that the user can fill in.
public struct FieldBlock: TypedBlock {
    /// What a field takes.
    public enum Kind: String, Sendable, CaseIterable {
        case text
        /// A text of several lines.
        case lines
        /// A text that nobody may see, such as a password. Its value never leaves the surface but with an action.
        case secret
        case number
        /// One of the field's choices.
        case choice
        /// On or off: `true` or empty.
        case toggle
        /// A day, such as `2026-11-29`.
        case date
        /// A time of day, such as `14:30`.
        case time
    }

    /// One of the values of a field.
    public struct Choice: Hashable, Sendable {
        public var value: String
        public var label: String

        public init(_ value: String, label: String? = nil) {
            self.value = value
            self.label = label ?? value
        }
    }

    public static let type = "field"
    /// The name under which the value is sent.
    public var name: String
    public var label: String
    public var kind: Kind
    /// The value; always empty for a secret.
    public var value: String
    public var choices: [Choice]
    /// What helps to fill it in; empty for nothing.
    public var hint: String
    /// Why the value cannot be taken; empty for no reason.
    public var error: String
    public var isRequired: Bool
    /// Whether what is typed stays in the surface until an action sends it.
    public var isPrivate: Bool

    public init(
        name: String, label: String, kind: Kind = .text, value: String = "", choices: [Choice] = [], hint: String = "",
        error: String = "", isRequired: Bool = false, isPrivate: Bool = false
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.value = kind == .secret ? "" : value
        self.choices = choices
        self.hint = hint
        self.error = error
        self.isRequired = isRequired
        self.isPrivate = isPrivate || kind == .secret
    }

    public init?(_ node: ContentNode) {
        guard let name = node["name"]?.text, !name.isEmpty else { return nil }
        self.init(
            name: name, label: node["label"]?.text ?? name,
            // A kind of a later version is a text.
            kind: node["kind"]?.text.flatMap(Kind.init(rawValue:)) ?? .text, value: node["value"]?.text ?? "",
            choices: (node["choices"]?.list ?? []).prefix(ContentBounds.choices).compactMap { choice in
                choice["value"]?.text.map { Choice($0, label: choice["label"]?.text) }
            },
            hint: node["hint"]?.text ?? "", error: node["error"]?.text ?? "",
            isRequired: node["required"]?.isTrue ?? false, isPrivate: node["private"]?.isTrue ?? false)
    }

    public var fields: [String: ContentNode] {
        let choices = choices.map { choice in
            ContentNode.map(["value": .text(choice.value), "label": .text(choice.label)])
        }
        return .init(present: [
            "name": .text(name), "label": .text(label), "kind": kind == .text ? nil : .text(kind.rawValue),
            "value": .text(value), "choices": choices.isEmpty ? nil : .list(choices), "hint": .text(hint),
            "error": .text(error), "required": .bool(isRequired), "private": .bool(isPrivate && kind != .secret),
        ])
    }
}

/// An action that the user can perform.
public struct ActionBlock: TypedBlock {
    /// How an action is drawn.
    public enum Style: String, Sendable, CaseIterable {
        case plain
        /// The one that most users want.
        case main
        /// One that takes something away.
        case destructive
    }

    public static let type = "action"
    /// The name under which it is performed.
    public var name: String
    public var label: String
    public var style: Style
    /// What the user is asked before it is performed; empty for nothing.
    public var confirmation: String
    /// Why it cannot be performed now; `nil` if it can.
    public var unavailable: String?

    public init(
        name: String, label: String, style: Style = .plain, confirmation: String = "", unavailable: String? = nil
    ) {
        self.name = name
        self.label = label
        self.style = style
        self.confirmation = confirmation
        self.unavailable = unavailable
    }

    public init?(_ node: ContentNode) {
        guard let name = node["name"]?.text, !name.isEmpty else { return nil }
        self.init(
            name: name, label: node["label"]?.text ?? name,
            style: node["style"]?.text.flatMap(Style.init(rawValue:)) ?? .plain,
            confirmation: node["confirm"]?.text ?? "", unavailable: node["off"]?.text)
    }

    public var fields: [String: ContentNode] {
        var fields = [String: ContentNode](present: [
            "name": .text(name), "label": .text(label), "style": style == .plain ? nil : .text(style.rawValue),
            "confirm": .text(confirmation),
        ])
        // An empty reason is one, too.
        fields["off"] = unavailable.map { .text($0) }
        return fields
    }
}
