/// Bounds on what a decoder accepts, checked before memory is allocated for it.
public struct CBORLimits: Hashable, Sendable {
    /// How deep arrays and maps may be nested; a lone scalar has depth 0. Values above 256 count as 256, because
    /// decoding recurses and a thread's stack is finite.
    public var maximumDepth: Int
    /// The length in bytes of the longest input. Values above 4 GiB - 1 count as that.
    public var maximumBytes: Int
    /// How many items the input may hold, counting each array, map, key, value, tag and chunk of a string.
    public var maximumItems: Int

    /// 32 levels, 16 MiB, a million items.
    public static let `default` = CBORLimits()

    /// For bytes that this process has just encoded itself.
    static let trusted = CBORLimits(maximumDepth: deepest, maximumBytes: .max, maximumItems: .max)

    static let deepest = 256

    /// Makes limits; what is left out has its default.
    public init(maximumDepth: Int = 32, maximumBytes: Int = 16 << 20, maximumItems: Int = 1_000_000) {
        self.maximumDepth = maximumDepth
        self.maximumBytes = maximumBytes
        self.maximumItems = maximumItems
    }
}
