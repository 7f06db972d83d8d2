/// Counts the posts that no responder handled: nothing vanishes in silence.
@MainActor
public final class UnhandledPosts {
    /// The counts of this process.
    public static let shared = UnhandledPosts()

    /// How often each message was posted in vain, by its name.
    public private(set) var counts: [String: Int] = [:]

    /// Names that are told apart: they come from the wire, and memory is bounded.
    private static let maximumNames = 1000
    /// What further names are counted as.
    package static let others = "(others)"

    package func count(_ name: String) {
        let isKnown = counts[name] != nil || counts.count < Self.maximumNames
        counts[isKnown ? name : Self.others, default: 0] += 1
    }
}
