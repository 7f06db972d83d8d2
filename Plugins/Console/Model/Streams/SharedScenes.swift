package import Monotonic

/// Which scenes are watched: each once, however many pages show it, and for a while after the last page has gone, so that
/// a page that is loaded again finds its picture.
package struct SharedScenes: Sendable {
    private struct Use {
        var pages = 0
        /// When the watching ends; `nil` while there are pages.
        var end: MonotonicInstant?
    }

    /// For how long a scene is watched without a page.
    private let linger: Duration
    /// The number of scenes that are watched at a time.
    private let maximum: Int
    private var uses: [String: Use] = [:]

    package init(linger: Duration = .seconds(5), maximum: Int = 1000) {
        self.linger = linger
        self.maximum = maximum
    }

    /// The scenes that are watched.
    package var sessions: [String] { uses.keys.sorted() }

    /// What to do for a page that shows a scene.
    package enum Entry: Hashable, Sendable {
        /// The scene is watched already.
        case join
        /// Begin to watch it.
        case begin
        /// The same, and end to watch another one, which has no page.
        case beginInstead(of: String)
        /// Too many scenes are watched.
        case full
    }

    /// A page begins to show a scene.
    package mutating func enter(_ session: String) -> Entry {
        guard let use = uses[session] else {
            guard uses.count >= maximum else {
                uses[session] = Use(pages: 1)
                return .begin
            }
            // What nobody looks at must not be in the way of those who do.
            let unused = uses.compactMap { use in use.value.end.map { (session: use.key, end: $0) } }
            guard let other = unused.min(by: { $0.end < $1.end })?.session else { return .full }
            uses[other] = nil
            uses[session] = Use(pages: 1)
            return .beginInstead(of: other)
        }
        uses[session] = Use(pages: use.pages + 1)
        return .join
    }

    /// A page no longer shows a scene.
    package mutating func leave(_ session: String, at now: MonotonicInstant) {
        guard let use = uses[session] else { return }
        uses[session] = use.pages > 1 ? Use(pages: use.pages - 1) : Use(end: now + linger)
    }

    /// The scene's session is closed, or cannot be watched.
    package mutating func end(_ session: String) { uses[session] = nil }

    /// When the next scene ends that has no pages; `nil` for none.
    package var nextEnd: MonotonicInstant? { uses.values.compactMap(\.end).min() }

    /// Takes out the scenes that have had no page for long enough, whose watching has to end.
    package mutating func takeUnused(at now: MonotonicInstant) -> [String] {
        let ended = uses.filter { $0.value.end.map { $0 <= now } ?? false }.keys.sorted()
        for session in ended { uses[session] = nil }
        return ended
    }
}
