/// The keys of a map that is being validated, to find duplicates.
///
/// Most maps are the fields of a struct, with a few short text keys. These are stored without a heap allocation.
struct CBORKeySet {
    private static let inlineCapacity = 16
    private var inline = InlineArray<16, Key>(repeating: Key(start: 0, end: 0, headLength: 0))
    private var count = 0
    private var overflow: [Key] = []
    /// The bits of the keys' hashes. While no two keys share a bit, all keys differ.
    private var hashes: UInt64 = 0
    private var mayRepeat = false
    private var hasUnusualKey = false

    private struct Key {
        var start: UInt32
        var end: UInt32
        /// The length of the head before `start` if the range is a text's content, or 0 if the range is a whole item.
        var headLength: UInt8

        var length: Int { Int(end &- start) }
        var itemStart: Int { Int(start) - Int(headLength) }

        /// A hash below 64. Short field names rarely collide.
        @inline(__always)
        func hash(in bytes: UnsafeRawBufferPointer) -> UInt64 {
            guard length > 0 else { return 0 }
            let first = UInt64(bytes[Int(start)])
            let middle = UInt64(bytes[Int(start) + length / 2])
            let last = UInt64(bytes[Int(end) - 1])
            let mixed = UInt64(length) | first << 8 | middle << 16 | last << 24
            return (mixed &* 0x9e37_79b9_7f4a_7c15) >> 58
        }
    }

    /// Adds a key: the well-formed item in `range` of `bytes`.
    @inline(__always)
    mutating func append(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer) {
        let key = textKey(range, in: bytes)
        let hash: UInt64 = 1 << key.hash(in: bytes)
        if hashes & hash != 0 { mayRepeat = true }
        hashes |= hash
        if count < Self.inlineCapacity {
            inline[count] = key
        } else {
            overflow.append(key)
        }
        count &+= 1
    }

    @inline(__always)
    private mutating func textKey(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Key {
        let end = UInt32(truncatingIfNeeded: range.upperBound)
        let headLength: UInt8 =
            switch bytes[range.lowerBound] {
            case 0x60..<0x78: 1
            case 0x78: 2
            default: 0
            }
        if headLength == 0 { hasUnusualKey = true }
        return Key(
            start: UInt32(truncatingIfNeeded: range.lowerBound + Int(headLength)), end: end, headLength: headLength)
    }

    /// The offset of a key that equals an earlier key, or nil if all keys differ.
    func duplicate(in bytes: UnsafeRawBufferPointer) -> Int? {
        if count < 2 { return nil }
        if hasUnusualKey { return duplicateByMeaning(in: bytes) }
        if !mayRepeat { return nil }
        guard count <= Self.inlineCapacity else { return Self.duplicate(among: allKeys, in: bytes) }
        for later in 1..<count {
            for earlier in 0..<later where Self.compare(inline[earlier], inline[later], in: bytes) == 0 {
                return inline[later].itemStart
            }
        }
        return nil
    }

    private var allKeys: [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(count)
        for index in 0..<min(count, Self.inlineCapacity) { keys.append(inline[index]) }
        return keys + overflow
    }

    private static func duplicate(among keys: [Key], in bytes: UnsafeRawBufferPointer) -> Int? {
        let sorted = keys.sorted { compare($0, $1, in: bytes) < 0 }
        for (key, next) in zip(sorted, sorted.dropFirst()) where compare(key, next, in: bytes) == 0 {
            return max(key.itemStart, next.itemStart)
        }
        return nil
    }

    /// Compares keys by meaning, because keys other than short text of definite length can be encoded in several ways.
    private func duplicateByMeaning(in bytes: UnsafeRawBufferPointer) -> Int? {
        var seen: Set<Meaning> = []
        for key in allKeys {
            guard let meaning = Meaning(key, in: bytes), !seen.insert(meaning).inserted else { continue }
            return key.itemStart
        }
        return nil
    }

    /// The meaning of a key. Two keys are the same if they decode to the same ``CBORValue``.
    private enum Meaning: Hashable {
        case string(CBORMajorType, [UInt8])
        case integer(CBORMajorType, UInt64)
        /// A number's bits in double precision.
        case number(UInt64)
        case simple(UInt8)
        /// An array or a map, as this module encodes it. Its own keys have already been checked.
        case structure([UInt8])

        init?(_ key: Key, in bytes: UnsafeRawBufferPointer) {
            let range = UnsafeRawBufferPointer(rebasing: bytes[Int(key.start)..<Int(key.end)])
            guard key.headLength == 0 else {
                self = .string(.text, Array(range))
                return
            }
            var reader = CBORReader(range)
            guard let head = try? reader.readHeadSkippingTags() else { return nil }
            switch head.majorType {
            case .bytes, .text:
                guard let content = try? reader.readContent(head) else { return nil }
                self = .string(head.majorType, content)
            case .unsigned:
                self = .integer(.unsigned, head.argument)
            case .negative where head.integer(Int64.self) != nil:
                self = .integer(.negative, head.argument)
            case .array, .map:
                reader.offset = 0
                guard let value = try? reader.readValue() else { return nil }
                self = .structure(value.encoded())
            case .negative, .tag, .simple:
                guard let number = head.floatingPoint ?? head.integerAsDouble else {
                    let isBool = head.information == 20 || head.information == 21
                    self = .simple(isBool ? head.information : 22)
                    return
                }
                self = .number(number.bitPattern)
            }
        }
    }

    /// Orders keys by length, then bytewise; 0 means equal.
    private static func compare(_ left: Key, _ right: Key, in bytes: UnsafeRawBufferPointer) -> Int {
        if left.length != right.length { return left.length - right.length }
        var (leftIndex, rightIndex) = (Int(left.start), Int(right.start))
        // Both keys have the same length and lie within `bytes`, so the right one has eight more bytes, too.
        while leftIndex + 8 <= Int(left.end) {
            let leftWord = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: leftIndex, as: UInt64.self))
            let rightWord = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: rightIndex, as: UInt64.self))
            if leftWord != rightWord { return leftWord < rightWord ? -1 : 1 }
            leftIndex += 8
            rightIndex += 8
        }
        while leftIndex < Int(left.end) {
            let difference = Int(bytes[leftIndex]) - Int(bytes[rightIndex])
            if difference != 0 { return difference }
            leftIndex += 1
            rightIndex += 1
        }
        return 0
    }
}
