/// Limits on the input of a decoder, checked before memory is allocated for it.
public struct CBORLimits: Hashable, Sendable {
    /// The maximum nesting of arrays and maps. A scalar by itself has depth 0. Values above 256 count as 256, because
    /// decoding recurses and a thread's stack is finite.
    public var maximumDepth: Int
    /// The maximum length of the input in bytes. Values above 4 GiB - 1 count as 4 GiB - 1.
    public var maximumBytes: Int
    /// The maximum number of items in the input. Each array, map, key, value, tag and chunk of a string counts.
    public var maximumItems: Int

    /// 32 levels, 16 MiB, a million items.
    public static let `default` = CBORLimits()

    /// The limits for bytes that this process has just encoded.
    static let trusted = CBORLimits(maximumDepth: deepest, maximumBytes: .max, maximumItems: .max)

    static let deepest = 256

    /// Makes limits. Parameters that are left out have the values of ``default``.
    public init(maximumDepth: Int = 32, maximumBytes: Int = 16 << 20, maximumItems: Int = 1_000_000) {
        self.maximumDepth = maximumDepth
        self.maximumBytes = maximumBytes
        self.maximumItems = maximumItems
    }
}
