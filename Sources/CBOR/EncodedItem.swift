/// The item of a value that is being encoded. The items of a container are written when the outermost value is complete.
final class EncodedItem {
    private enum Content {
        case empty
        case bytes([UInt8])
        case array([EncodedItem])
        case map([(key: String, item: EncodedItem)], sortsKeys: Bool)
    }

    /// The deepest nesting that is encoded. Encoding recurses, and a thread's stack is finite.
    static let maximumDepth = CBORLimits.deepest

    let codingPath: [any CodingKey]
    private let depth: Int
    private var content = Content.empty
    /// Whether it is another value, to which nothing can be added.
    private var isTaken = false
    /// Whether it is marked as secret.
    private var isSecret = false
    /// The first error in a function that cannot throw.
    private var failure: EncodingError?

    init(codingPath: [any CodingKey] = [], depth: Int = 0) {
        self.codingPath = codingPath
        self.depth = depth
    }

    // MARK: Values

    /// Encodes a value as this item.
    ///
    /// - Throws: The value's error.
    func encode<T: Encodable>(_ value: T) throws {
        guard depth <= Self.maximumDepth else { throw tooDeep }
        switch value {
        case let value as String: try write { $0.writeString(value) }
        case let value as Int: try write { $0.writeInteger(Int64(value)) }
        case let value as Double: try write { $0.writeDouble(value) }
        // An empty array of anything can be cast to this one.
        case let value as [UInt8] where T.self == [UInt8].self: try write { $0.writeBytes(value) }
        default: try value.encode(to: ItemEncoder(item: self))
        }
    }

    /// Writes the bytes of this item.
    ///
    /// - Throws: `EncodingError` if the value has already been encoded.
    func write(_ write: (inout CBORWriter) -> Void) throws {
        var writer = CBORWriter(capacity: 16)
        write(&writer)
        try set(.bytes(writer.bytes))
    }

    /// Takes over what another value of the same place has been encoded as.
    ///
    /// - Parameter isSecret: Whether to mark it as secret.
    func take(_ other: EncodedItem, asSecret isSecret: Bool = false) throws {
        if let failure = other.failure { throw failure }
        try set(other.content)
        isTaken = true
        self.isSecret = isSecret || other.isSecret
    }

    private func set(_ content: Content) throws {
        guard case .empty = self.content else { throw error("The value is already encoded.") }
        self.content = content
    }

    /// An item of which this one consists, or in which it is contained.
    func child(_ step: PathStep?) -> EncodedItem {
        EncodedItem(codingPath: codingPath + (step.map { [$0] } ?? []), depth: depth + 1)
    }

    // MARK: Containers

    /// Makes this item a map, or goes on with the one that it is.
    func openMap(sortsKeys: Bool) {
        switch content {
        case _ where depth == Self.maximumDepth: fail(tooDeep)
        case .empty: content = .map([], sortsKeys: sortsKeys)
        case .map where !isTaken: break
        case .bytes, .array, .map: fail(error("The value is already encoded as something else."))
        }
    }

    /// Makes this item an array, or goes on with the one that it is.
    func openArray() {
        switch content {
        case _ where depth == Self.maximumDepth: fail(tooDeep)
        case .empty: content = .array([])
        case .array where !isTaken: break
        case .bytes, .map, .array: fail(error("The value is already encoded as something else."))
        }
    }

    private func fail(_ error: EncodingError) { failure = failure ?? error }

    func append(_ item: EncodedItem, key: String) {
        guard case .map(var entries, let sortsKeys) = content else { return }
        content = .empty
        entries.append((key, item))
        content = .map(entries, sortsKeys: sortsKeys)
    }

    func append(_ item: EncodedItem) {
        guard case .array(var items) = content else { return }
        content = .empty
        items.append(item)
        content = .array(items)
    }

    /// The number of elements of an array.
    var count: Int {
        if case .array(let items) = content { items.count } else { 0 }
    }

    // MARK: Writing

    /// Writes the item and those in it.
    ///
    /// - Throws: `EncodingError` if containers were misused.
    func write(to writer: inout CBORWriter) throws(EncodingError) {
        if let failure { throw failure }
        if isSecret { writer.writeSecretTag() }
        switch content {
        // As with other encoders, a value that encodes nothing becomes an empty map.
        case .empty: writer.writeMapHead(count: 0)
        case .bytes(let bytes): writer.writeRaw(bytes[...])
        case .array(let items):
            writer.writeArrayHead(count: items.count)
            for item in items { try item.write(to: &writer) }
        case .map(var entries, let sortsKeys):
            var keys: Set<[UInt8]> = []
            for entry in entries where !keys.insert(Array(entry.key.utf8)).inserted {
                throw error("The key '\(entry.key)' is encoded twice.")
            }
            // The bytewise order of encoded keys (RFC 8949, section 4.2.1): a shorter text comes first.
            if sortsKeys {
                entries.sort { left, right in
                    let (one, other) = (left.key.utf8, right.key.utf8)
                    return one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
                }
            }
            writer.writeMapHead(count: entries.count)
            for entry in entries {
                writer.writeString(entry.key)
                try entry.item.write(to: &writer)
            }
        }
    }

    private var tooDeep: EncodingError { error("Values are nested deeper than \(Self.maximumDepth) levels.") }

    private func error(_ reason: String) -> EncodingError {
        .invalidValue([UInt8](), EncodingError.Context(codingPath: codingPath, debugDescription: reason))
    }
}
