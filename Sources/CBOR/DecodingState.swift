/// The state that all decoders and containers of one decoding share.
final class DecodingState {
    /// The validated input. It is empty once decoding has finished, so a decoder that is kept longer finds nothing to
    /// read.
    private(set) var bytes: UnsafeRawBufferPointer
    /// The type whose `init(from:)` was called last. A dictionary asks for its container before anything else, so at
    /// that moment this is the dictionary's type.
    var decodedType: Any.Type = Never.self

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Drops the bytes, which become invalid when the caller returns.
    func finish() {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Whether the item at an offset is marked as secret.
    func isSecret(at offset: Int) -> Bool {
        guard offset < bytes.count, bytes[offset] >> 5 == CBORMajorType.tag.rawValue else { return false }
        var reader = reader(at: offset)
        return (try? reader.skipTags()) ?? false
    }

    func reader(at offset: Int) -> CBORReader { CBORReader(bytes, offset: offset) }
}

extension CBORReader {
    /// Reads a key as a field's name: text unchanged, an integer in decimal, and nil for anything else.
    mutating func readKeyName() throws(CBORError) -> String? {
        let start = offset
        let head = try readHeadSkippingTags()
        switch head.majorType {
        case .text: return try readText(head)
        case .unsigned, .negative: return head.integer(Int.self).map(String.init)
        default:
            offset = start
            try skipItem()
            return nil
        }
    }
}
