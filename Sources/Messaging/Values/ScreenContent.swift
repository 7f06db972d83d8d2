/// What a view controller shows, as a value: it crosses processes and is drawn by whoever has a display.
public struct ScreenContent: Codable, Hashable, Sendable {
    /// The heading; empty for none.
    public var title: String
    /// Paragraphs to read.
    public var texts: [String]
    /// The rows of a list.
    public var items: [Item]
    /// What the user can fill in.
    public var fields: [Field]
    /// What the user can do.
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
        /// Tells the row from the others of its list.
        public var id: String
        /// What the row says.
        public var title: String
        /// A remark beside the title; empty for none.
        public var detail: String
        /// The name of the action that selects the row; `nil` when it cannot be selected. It need not be among
        /// ``ScreenContent/actions``.
        public var action: String?

        public init(id: String, title: String, detail: String = "", action: String? = nil) {
            self.id = id
            self.title = title
            self.detail = detail
            self.action = action
        }
    }

    /// Something that the user can do.
    public struct Action: Codable, Hashable, Sendable {
        /// What ``ViewController/perform(action:fields:)`` is called with.
        public var name: String
        /// What the user reads.
        public var label: String
        /// Whether it can be done now.
        public var isEnabled: Bool

        /// - Parameter label: the name when it is left out.
        public init(name: String, label: String? = nil, isEnabled: Bool = true) {
            self.name = name
            self.label = label ?? name
            self.isEnabled = isEnabled
        }
    }
}

// MARK: - Actions

extension ScreenContent {
    /// The names of what can be done now, each once: the enabled actions, then those that select an item.
    public var availableActions: [String] {
        var names: [String] = []
        let disabled = actions.filter { !$0.isEnabled }.map(\.name)
        for name in actions.filter(\.isEnabled).map(\.name) + items.compactMap(\.action)
        where !names.contains(name) && !disabled.contains(name) {
            names.append(name)
        }
        return names
    }

    /// Whether an action of this name is listed, enabled or not.
    public func lists(action name: String) -> Bool {
        actions.contains { $0.name == name } || items.contains { $0.action == name }
    }

    /// Checks that an action can be done now.
    /// - Throws: ``ScreenActionError`` when it is not listed, or disabled.
    public func check(action name: String) throws(ScreenActionError) {
        guard lists(action: name) else { throw .unknownAction(name, available: availableActions) }
        guard availableActions.contains(name) else { throw .disabledAction(name, available: availableActions) }
    }
}
