extension ContentLayer {
    /// What Enter in a field performs, on every surface: the action that most users want, or else the first one after a field;
    /// `nil` if there is none. It is never one that takes something away.
    package var defaultAction: ActionBlock? {
        var first: ActionBlock?
        var hasField = false
        for (_, node) in blockNodes {
            switch node["type"]?.text {
            case FieldBlock.type: hasField = true
            case ActionBlock.type:
                guard let action = ActionBlock(node), action.unavailable == nil else { continue }
                if action.style == .main { return action }
                if hasField, first == nil, action.style == .plain { first = action }
            default: break
            }
        }
        return first
    }
}
