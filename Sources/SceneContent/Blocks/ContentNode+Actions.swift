extension ContentNode {
    /// The action that this block is; `nil` for any other block.
    package var actionBlock: ActionBlock? { self["type"]?.text == ActionBlock.type ? ActionBlock(self) : nil }

    /// Whether this block has an action of a name: its own, or one that selects a row.
    package func offers(action name: String) -> Bool {
        switch self["type"]?.text {
        case ActionBlock.type: self["name"]?.text == name
        case ListBlock.type, TableBlock.type: self["rows"]?.map.values.contains { $0["action"]?.text == name } ?? false
        default: false
        }
    }
}
