/// The kind of an item: the upper three bits of its first byte (RFC 8949, section 3.1).
package enum CBORMajorType: UInt8, Sendable {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case tag = 6
    case simple = 7

    /// - Parameter initial: The first byte of an item.
    @inline(__always)
    init(ofInitial initial: UInt8) {
        // Three bits have eight values, so this is never nil.
        self = CBORMajorType(rawValue: initial >> 5) ?? .simple
    }
}

/// The head of an item: its major type and the number that follows.
package struct CBORHead: Sendable {
    /// The item's kind.
    package let majorType: CBORMajorType
    /// The lower five bits of the first byte; 31 means an indefinite length, or a break.
    package let information: UInt8
    /// The value, the length or the count; 0 for an indefinite length.
    package let argument: UInt64

    /// Whether a break, not a count, ends the item.
    package var isIndefinite: Bool { information == 31 }
    /// Whether this is the break itself.
    package var isBreak: Bool { majorType == .simple && information == 31 }
    /// Whether this is null or undefined. No Swift type distinguishes the two.
    var isNull: Bool { majorType == .simple && (information == 22 || information == 23) }
}
