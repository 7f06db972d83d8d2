/// Counts the posts that no responder handled, so that dropped posts can be noticed.
@MainActor
public final class UnhandledPosts {
    /// The counts of this process.
    public static let shared = UnhandledPosts()

    /// The number of unhandled posts by message name.
    public private(set) var counts: [String: Int] = [:]

    /// The maximum number of names that are counted separately. Names come from the wire, so memory must be bounded.
    private static let maximumNames = 1000
    /// The name under which all further names are counted.
    package static let others = "(others)"

    package func count(_ name: String) {
        let isKnown = counts[name] != nil || counts.count < Self.maximumNames
        counts[isKnown ? name : Self.others, default: 0] += 1
    }
}
