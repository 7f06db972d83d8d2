/// Counts the posts that no responder handled: nothing vanishes in silence.
@MainActor
public final class UnhandledPosts {
    /// The counts of this process.
    public static let shared = UnhandledPosts()

    /// How often each message was posted in vain, by its name.
    public private(set) var counts: [String: Int] = [:]

    package func count(_ name: String) {
        counts[name, default: 0] += 1
    }
}
