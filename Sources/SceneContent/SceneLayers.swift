/// What a scene shows: its screen, and the sheets over it.
public struct SceneLayers: Hashable, Sendable, Codable {
    /// The layers and their order, as they are on the wire.
    public let node: ContentNode

    /// Wraps what another process has sent. What it has in the wrong form is left out when it is read.
    public init(node: ContentNode) { self.node = node }

    public init(from decoder: any Decoder) throws { node = try ContentNode(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try node.encode(to: encoder) }

    /// Makes a content.
    /// - Parameter layers: the layers from the bottom up, each with a key of its own.
    public init(_ layers: [ContentLayer] = []) {
        node = .map([
            "layers": .map(Dictionary(layers.map { ($0.key, $0.node) }) { $1 }),
            "order": .list(layers.map { .text($0.key) }),
        ])
    }

    /// The layers from the bottom up. The last one is the one that takes input, so of too many the topmost are here.
    public var layers: [ContentLayer] {
        Keyed.ordered(node["layers"], by: node["order"], limit: .max).suffix(ContentBounds.layers)
            .map(ContentLayer.init)
    }

    /// The layer that takes input; `nil` if the scene shows nothing.
    public var top: ContentLayer? { layers.last }
}

/// A screen, or a sheet over it.
public struct ContentLayer: Hashable, Sendable {
    /// Identifies the layer. Another page has another key, so that nothing that was typed goes from one to the other.
    public let key: String
    public let node: ContentNode

    init(key: String, node: ContentNode) { (self.key, self.node) = (key, node) }

    /// Makes a layer.
    /// - Parameters:
    ///   - tabs: what the user can choose between; it is shown over the blocks.
    ///   - back: the action that leads to the screen before.
    ///   - blocks: the blocks in their order, each with a key of its own.
    public init(
        key: String, title: String, tabs: [ContentTab] = [], back: ActionBlock? = nil,
        blocks: [(key: String, node: ContentNode)]
    ) {
        self.key = key
        node = .map(
            [String: ContentNode](present: [
                "title": .text(title), "tabs": tabs.isEmpty ? nil : .list(tabs.map(\.node)), "back": back?.node,
                "blocks": .map(Dictionary(blocks.map { ($0.key, $0.node) }) { $1 }),
                "order": .list(blocks.map { .text($0.key) }),
            ]))
    }

    /// The heading; empty for none.
    public var title: String { node["title"]?.text ?? "" }

    public var tabs: [ContentTab] {
        (node["tabs"]?.list ?? []).prefix(ContentBounds.tabs).compactMap(ContentTab.init)
    }

    /// The action that leads to the screen before; `nil` for none.
    public var back: ActionBlock? { node["back"].flatMap { ActionBlock($0) } }

    /// The blocks in their order.
    public var blocks: [(key: String, block: ContentBlock)] {
        blockNodes.map { ($0.key, ContentBlock($0.node)) }
    }

    /// The blocks in their order as they are on the wire, for who compares them before they are read.
    package var blockNodes: [(key: String, node: ContentNode)] {
        Keyed.ordered(node["blocks"], by: node["order"], limit: ContentBounds.blocks)
    }

    /// The fields of the layer, by their names.
    public var fields: [String: FieldBlock] {
        var fields: [String: FieldBlock] = [:]
        for case (_, .field(let field)) in blocks { fields[field.name] = field }
        return fields
    }
}

/// One of several screens between which the user can choose.
public struct ContentTab: Hashable, Sendable {
    /// The name of the action that selects it.
    public var action: String
    public var label: String
    public var isSelected: Bool

    public init(action: String, label: String, isSelected: Bool) {
        self.action = action
        self.label = label
        self.isSelected = isSelected
    }

    init?(_ node: ContentNode) {
        guard let action = node["action"]?.text else { return nil }
        self.init(action: action, label: node["label"]?.text ?? action, isSelected: node["selected"]?.isTrue ?? false)
    }

    var node: ContentNode {
        .map(.init(present: ["action": .text(action), "label": .text(label), "selected": .bool(isSelected)]))
    }
}
