/// A heading over the blocks that follow.
public struct SectionBlock: TypedBlock {
    public static let type = "section"
    public var title: String

    public init(_ title: String) { self.title = title }

    public init?(_ node: ContentNode) {
        guard let title = node["title"]?.text else { return nil }
        self.title = title
    }

    public var fields: [String: ContentNode] { ["title": .text(title)] }
}

/// A paragraph. Line feeds in it are kept.
public struct TextBlock: TypedBlock {
    /// What a paragraph means to its reader.
    public enum Level: String, Sendable, CaseIterable {
        case note, good, warning, error
    }

    /// How large a paragraph is where it is drawn.
    public enum Size: String, Sendable, CaseIterable {
        case normal
        /// Several times as large, to be read from afar: the headline of a wall or a sign.
        case large
    }

    public static let type = "text"
    public var text: String
    /// What it means; `nil` for a plain text.
    public var level: Level?
    public var size: Size

    public init(_ text: String, level: Level? = nil, size: Size = .normal) {
        self.text = text
        self.level = level
        self.size = size
    }

    public init?(_ node: ContentNode) {
        guard let text = node["text"]?.text else { return nil }
        self.init(
            text, level: Level(node["level"]),
            size: node["size"]?.text.flatMap(Size.init(rawValue:)) ?? .normal)
    }

    public var fields: [String: ContentNode] {
        // An empty paragraph is one, too.
        ["text": .text(text)].merging(
            .init(present: [
                "level": level.map { .text($0.rawValue) }, "size": size == .normal ? nil : .text(size.rawValue),
            ])
        ) { $1 }
    }
}

extension TextBlock.Level {
    /// Reads a level; `nil` for none, and for one that this version does not know.
    init?(_ node: ContentNode?) {
        guard let level = node?.text.flatMap(Self.init(rawValue:)) else { return nil }
        self = level
    }
}

/// Labels with a value each.
public struct FactsBlock: TypedBlock {
    public static let type = "facts"

    public struct Fact: Hashable, Sendable {
        /// Distinguishes the fact from others of the block.
        public var key: String
        public var label: String
        public var value: ContentValue

        public init(key: String, label: String, value: ContentValue) {
            self.key = key
            self.label = label
            self.value = value
        }
    }

    public var facts: [Fact]

    public init(_ facts: [Fact]) { self.facts = facts }

    public init?(_ node: ContentNode) {
        guard case .map? = node["rows"] else { return nil }
        facts = Keyed.ordered(node["rows"], by: node["order"], limit: ContentBounds.rows).map { key, row in
            Fact(key: key, label: row["label"]?.text ?? key, value: row["value"].map { ContentValue($0) } ?? "")
        }
    }

    public var fields: [String: ContentNode] {
        Keyed.fields(facts.map { ($0.key, .map(["label": .text($0.label), "value": $0.value.node])) })
    }
}

/// A link to a page elsewhere.
public struct LinkBlock: TypedBlock {
    public static let type = "link"
    public var label: String
    /// The address, which begins with `https://` or `http://`.
    public var address: String

    public init(_ label: String, address: String) {
        self.label = label
        self.address = address
    }

    /// An address of another kind could run a script where the link is shown, so such a link is not read.
    public init?(_ node: ContentNode) {
        guard let address = node["address"]?.text, Self.isSafe(address) else { return nil }
        self.init(node["label"]?.text ?? address, address: address)
    }

    public var fields: [String: ContentNode] {
        let text = "\(label) <\(address)>"
        return .init(present: ["label": .text(label), "address": .text(address), "text": .text(text)])
    }

    private static func isSafe(_ address: String) -> Bool {
        let lower = address.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://") else { return false }
        return address.utf8.count <= 2048 && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
