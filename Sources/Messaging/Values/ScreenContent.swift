/// The content of a view controller, as a value that can be sent to another process and drawn there.
public struct ScreenContent: Codable, Hashable, Sendable {
    /// The heading; empty for none.
    public var title: String
    /// The paragraphs.
    public var texts: [String]
    /// The rows of a list.
    public var items: [Item]
    /// The fields that the user can fill in.
    public var fields: [Field]
    /// The actions that the user can perform.
    public var actions: [Action]

    public init(
        title: String = "", texts: [String] = [], items: [Item] = [], fields: [Field] = [], actions: [Action] = []
    ) {
        self.title = title
        self.texts = texts
        self.items = items
        self.fields = fields
        self.actions = actions
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
