/// Checks, before anything is decoded, that bytes are one well-formed item within the limits.
///
/// Decoders can then rely on valid heads, counts and UTF-8, and on maps without duplicate keys.
struct CBORValidator {
    private var reader: CBORReader
    private let maximumItems: Int
    private var items = 0
    private let maximumDepth: Int
    /// The number of map keys that contain the current item. Each of these maps reads the item again to compare its
    /// keys, so arrays and maps are allowed in a key but not in a key of a key.
    private var keyDepth = 0

    /// Checks that `bytes` are exactly one item.
    ///
    /// - Throws: `CBORError` for anything but one well-formed item within `limits`.
    @inline(__always)
    static func validate(_ bytes: UnsafeRawBufferPointer, limits: CBORLimits) throws(CBORError) {
        guard bytes.count <= limits.maximumBytes, bytes.count < Int(UInt32.max) else {
            throw CBORError(.tooManyBytes, at: max(0, min(limits.maximumBytes, Int(UInt32.max))))
        }
        var validator = CBORValidator(bytes, limits)
        try validator.item(depth: 0)
        guard validator.reader.isAtEnd else { throw CBORError(.trailingBytes, at: validator.reader.offset) }
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ limits: CBORLimits) {
        reader = CBORReader(bytes)
        maximumItems = limits.maximumItems
        maximumDepth = min(limits.maximumDepth, CBORLimits.deepest)
    }

    private mutating func item(depth: Int) throws(CBORError) {
        var start = reader.offset
        var head = try reader.readHead()
        try count(from: start)
        while head.majorType == .tag {
            start = reader.offset
            head = try reader.readHead()
            try count(from: start)
        }
        switch head.majorType {
        case .unsigned, .negative, .tag:
            break
        case .bytes, .text:
            try string(head)
        case .array:
            guard depth < maximumDepth, keyDepth < 2 else { throw CBORError(.tooDeep, at: start) }
            try array(head, depth: depth + 1)
        case .map:
            guard depth < maximumDepth, keyDepth < 2 else { throw CBORError(.tooDeep, at: start) }
            try map(head, depth: depth + 1)
        case .simple:
            if head.isBreak { throw CBORError(.unexpectedBreak, at: start) }
        }
    }

    @inline(__always)
    private mutating func count(from start: Int) throws(CBORError) {
        guard items < maximumItems else { throw CBORError(.tooManyItems, at: start) }
        items &+= 1
    }

    @inline(__always)
    private mutating func string(_ head: CBORHead) throws(CBORError) {
        guard !head.isIndefinite else { return try chunks(of: head) }
        try content(head)
    }

    @inline(__always)
    private mutating func content(_ head: CBORHead) throws(CBORError) {
        let start = reader.offset
        let content = try reader.take(head.argument)
        guard head.majorType == .text else { return }
        guard content.isUTF8 else { throw CBORError(.invalidUTF8, at: start) }
        if let mark = CombiningMarks.excess(in: content) { throw CBORError(.tooManyMarks, at: start + mark) }
    }

    private mutating func chunks(of head: CBORHead) throws(CBORError) {
        let first = reader.offset
        while true {
            let start = reader.offset
            guard let chunk = try reader.nextChunk(of: head.majorType) else { break }
            try count(from: start)
            try content(chunk)
        }
        guard head.majorType == .text else { return }
        // A run of marks may continue in the next chunk, so the joined text is checked as well.
        var again = CBORReader(reader.bytes, offset: first)
        let text = try again.readContent(head)
        if text.withUnsafeBytes({ CombiningMarks.excess(in: $0) }) != nil { throw CBORError(.tooManyMarks, at: first) }
    }

    private mutating func array(_ head: CBORHead, depth: Int) throws(CBORError) {
        if head.isIndefinite {
            while try !reader.takeBreak() { try item(depth: depth) }
        } else {
            for _ in 0..<(try reader.itemCount(head)) { try item(depth: depth) }
        }
    }

    private mutating func map(_ head: CBORHead, depth: Int) throws(CBORError) {
        var keys = CBORKeySet()
        if head.isIndefinite {
            while try !reader.takeBreak() { try entry(depth: depth, &keys) }
        } else {
            for _ in 0..<(try reader.itemCount(head) / 2) { try entry(depth: depth, &keys) }
        }
        if let offset = keys.duplicate(in: reader.bytes) { throw CBORError(.duplicateKey, at: offset) }
    }

    @inline(__always)
    private mutating func entry(depth: Int, _ keys: inout CBORKeySet) throws(CBORError) {
        let start = reader.offset
        keyDepth &+= 1
        try item(depth: depth)
        keyDepth &-= 1
        keys.append(start..<reader.offset, in: reader.bytes)
        try item(depth: depth)
    }
}
