/// A block of one type.
public protocol TypedBlock: Hashable, Sendable {
    /// The block's `type` on the wire.
    static var type: String { get }
    /// Reads a block; `nil` if its fields are not as its type demands.
    init?(_ node: ContentNode)
    /// The fields on the wire, without the type.
    var fields: [String: ContentNode] { get }
}

extension TypedBlock {
    /// The block on the wire.
    public var node: ContentNode { node(of: Self.type) }

    func node(of type: String) -> ContentNode { .map(fields.merging(["type": .text(type)]) { $1 }) }
}
