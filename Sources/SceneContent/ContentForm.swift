extension SceneLayers {
    /// Whether differences of this content can be applied: its parts are where the rule of differences looks for them, none is
    /// null, and none has a field that only differences have.
    ///
    /// What a program makes with ``init(_:)`` always is so. What another process has sent may not be.
    public var isWellFormed: Bool {
        guard case .map(let root) = node, case .map(let layers)? = root["layers"], !node.hasNull else { return false }
        return layers.values.allSatisfy { layer in
            guard case .map(let fields) = layer, fields["whole"] == nil, case .map(let blocks)? = fields["blocks"]
            else {
                return false
            }
            return blocks.values.allSatisfy(Self.isBlock)
        }
    }

    private static func isBlock(_ block: ContentNode) -> Bool {
        guard case .map(let fields) = block, fields["type"]?.text != nil else { return false }
        guard case .map(let series)? = fields["series"] else { return true }
        return series.values.allSatisfy { series in
            guard case .map(let fields) = series, case .list? = fields["points"] else { return false }
            return fields["points+"] == nil && fields["window"] == nil
        }
    }
}

extension ContentNode {
    /// Whether a part is null, or a number that is none, which is not equal to itself.
    fileprivate var hasNull: Bool {
        switch self {
        case .null: true
        case .bool, .text: false
        case .number(let number): number.isNaN
        case .list(let elements): elements.contains { $0.hasNull }
        case .map(let fields): fields.values.contains { $0.hasNull }
        }
    }
}
