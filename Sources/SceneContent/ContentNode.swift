public import CBOR

/// A part of what a scene shows, without a schema: on the wire a CBOR item.
///
/// Surfaces read blocks with types, such as ``TableBlock``. Processes in between carry nodes, so that a block that they
/// do not know arrives as it was sent.
public enum ContentNode: Hashable, Sendable {
    /// In a difference, what is removed. A content has none.
    case null
    case bool(Bool)
    /// A number. Integers of more than 53 bits are rounded.
    case number(Double)
    case text(String)
    case list([ContentNode])
    case map([String: ContentNode])

    /// The value of a field; `nil` if this is no map or has no such field.
    public subscript(field: String) -> ContentNode? {
        if case .map(let fields) = self { fields[field] } else { nil }
    }

    /// The text; `nil` for any other node.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The finite number; `nil` for any other node.
    public var number: Double? {
        if case .number(let number) = self, number.isFinite { number } else { nil }
    }

    /// Whether this is the value true.
    public var isTrue: Bool { self == .bool(true) }

    /// The elements; none for any other node.
    public var list: [ContentNode] {
        if case .list(let elements) = self { elements } else { [] }
    }

    /// The fields; none for any other node.
    public var map: [String: ContentNode] {
        if case .map(let fields) = self { fields } else { [:] }
    }
}

extension ContentNode {
    /// Makes a node from an item. Bytes and secrets become null: a content has none.
    public init(_ item: CBORValue) {
        switch item {
        case .null, .bytes, .secret: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .number(Double(value))
        case .unsigned(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let text): self = .text(text)
        case .array(let items): self = .list(items.map { ContentNode($0) })
        case .map(let map):
            var fields: [String: ContentNode] = [:]
            fields.reserveCapacity(map.entries.count)
            for entry in map.entries {
                if let name = entry.key.stringValue { fields[name] = ContentNode(entry.value) }
            }
            self = .map(fields)
        }
    }

    /// The node as an item, with the fields of maps in the order of their names.
    public var item: CBORValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let value): Int64(exactly: value).map(CBORValue.int) ?? .double(value)
        case .text(let text): .string(text)
        case .list(let elements): .array(elements.map(\.item))
        case .map(let fields):
            .map(
                CBORMap(
                    fields.sorted { $0.key < $1.key }.map { CBORMap.Pair(key: .string($0.key), value: $0.value.item) }))
        }
    }
}

extension ContentNode: Codable {
    public init(from decoder: any Decoder) throws { self.init(try CBORValue(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try item.encode(to: encoder) }
}

extension ContentNode: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral text: String) { self = .text(text) }
    public init(floatLiteral number: Double) { self = .number(number) }
    public init(integerLiteral number: Int) { self = .number(Double(number)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension [String: ContentNode] {
    /// Makes the fields of a node, without those that are missing or have the value that a reader assumes without them.
    init(present fields: [String: ContentNode?]) {
        self = fields.compactMapValues { node in
            switch node {
            case nil, .bool(false)?, .text("")?: nil
            case let node?: node
            }
        }
    }
}
