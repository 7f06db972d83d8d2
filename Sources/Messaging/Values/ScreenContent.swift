/// The content of a view controller, as a value that can be sent to another process and drawn there.
public struct ScreenContent: Sendable {
    /// What it says, or how to make it.
    private enum Form: Sendable {
        case made(Values)
        case deferred(DeferredContent)
    }

    private var form: Form

    public init(
        title: String = "", texts: [String] = [], items: [Item] = [], fields: [Field] = [], actions: [Action] = []
    ) {
        form = .made(Values(title: title, texts: texts, items: items, fields: fields, actions: actions))
    }

    /// Makes a content that is made when it is first read: a screen has its plain form also where nobody reads it, and to write
    /// all its texts takes longer than to draw it.
    package init(deferred make: @escaping @Sendable () -> ScreenContent) {
        form = .deferred(DeferredContent { make().values })
    }

    private var values: Values {
        get {
            switch form {
            case .made(let values): values
            case .deferred(let content): content.values
            }
        }
        set { form = .made(newValue) }
    }

    /// The heading; empty for none.
    public var title: String {
        get { values.title }
        set { values.title = newValue }
    }

    /// The paragraphs.
    public var texts: [String] {
        get { values.texts }
        set { values.texts = newValue }
    }

    /// The rows of a list.
    public var items: [Item] {
        get { values.items }
        set { values.items = newValue }
    }

    /// The fields that the user can fill in.
    public var fields: [Field] {
        get { values.fields }
        set { values.fields = newValue }
    }

    /// The actions that the user can perform.
    public var actions: [Action] {
        get { values.actions }
        set { values.actions = newValue }
    }

    /// One row of a list.
    public struct Item: Codable, Hashable, Sendable, Identifiable {
        /// Identifies the row within its list.
        public var id: String
        /// The row's text.
        public var title: String
        /// Additional text beside the title; empty for none.
        public var detail: String
        /// The name of the action that selects the row; `nil` if the row cannot be selected. It need not be among
        /// ``ScreenContent/actions``.
        public var action: String?

        public init(id: String, title: String, detail: String = "", action: String? = nil) {
            self.id = id
            self.title = title
            self.detail = detail
            self.action = action
        }
    }

    /// An action that the user can perform.
    public struct Action: Codable, Hashable, Sendable {
        /// The name with which ``ViewController/perform(action:fields:)`` is called.
        public var name: String
        /// The text that the user sees.
        public var label: String
        /// Whether the action can be performed now.
        public var isEnabled: Bool

        /// Makes an action.
        /// - Parameter label: The text that the user sees; the name if it is left out.
        public init(name: String, label: String? = nil, isEnabled: Bool = true) {
            self.name = name
            self.label = label ?? name
            self.isEnabled = isEnabled
        }
    }
}

// MARK: - Values

extension ScreenContent {
    /// What a content says.
    struct Values: Codable, Hashable, Sendable {
        var title: String
        var texts: [String]
        var items: [Item]
        var fields: [Field]
        var actions: [Action]
    }
}

extension ScreenContent: Hashable {
    /// Copies of a content that has not been made are equal without making it.
    public static func == (one: ScreenContent, other: ScreenContent) -> Bool {
        if case .deferred(let own) = one.form, case .deferred(let others) = other.form, own === others { return true }
        return one.values == other.values
    }

    public func hash(into hasher: inout Hasher) { values.hash(into: &hasher) }
}

extension ScreenContent: Codable {
    public init(from decoder: any Decoder) throws { form = .made(try Values(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

extension ScreenContent: CustomReflectable {
    /// What it says, not how it is kept.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["title": title, "texts": texts, "items": items, "fields": fields, "actions": actions],
            displayStyle: .struct)
    }
}

// MARK: - Actions

extension ScreenContent {
    /// The names of all actions that can be performed now, without duplicates: the enabled actions, then those that
    /// select an item.
    public var availableActions: [String] {
        var names: [String] = []
        let disabled = actions.filter { !$0.isEnabled }.map(\.name)
        for name in actions.filter(\.isEnabled).map(\.name) + items.compactMap(\.action)
        where !names.contains(name) && !disabled.contains(name) {
            names.append(name)
        }
        return names
    }

    /// Returns whether the content has an action of this name, enabled or not.
    public func lists(action name: String) -> Bool {
        actions.contains { $0.name == name } || items.contains { $0.action == name }
    }

    /// Checks that an action can be performed now.
    /// - Throws: ``ScreenActionError`` if the content does not have the action, or if it is disabled.
    public func check(action name: String) throws(ScreenActionError) {
        guard lists(action: name) else { throw .unknownAction(name, available: availableActions) }
        guard availableActions.contains(name) else { throw .disabledAction(name, available: availableActions) }
    }
}
