/// The position of a name in a table of names.
package struct NameIndex: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ position: Int) { rawValue = UInt8(position) }

    /// No index: the frame has the whole name.
    package static let none = NameIndex(rawValue: .max)
    /// The place in a list with one place for each index, and the first for no index.
    package var place: Int { self == .none ? 0 : Int(rawValue) + 1 }
    /// The first byte of a name's place in a frame if the second one is an index. No text in UTF-8 has this byte.
    static let mark: UInt8 = 0xFF

    /// Whether it is the index of one of the first names.
    package static func < (index: NameIndex, count: Int) -> Bool { index.rawValue < count }
}
