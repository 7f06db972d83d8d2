/// One who watches a scene.
package struct SceneWatcher: Codable, Hashable, Sendable {
    /// The longest name of a surface, in bytes.
    package static let maximumSurface = 40

    /// What follows the name of a screen on a wall.
    package static let wallMark = " (wall)"

    /// Where the scene is seen, such as "browser" or "front-desk (wall)". Whoever watches says it.
    package var surface: String
    /// The user; or the name of the peer's key, if the peer has not said for which user it watches, or may not.
    package var name: String?

    package init(surface: String, name: String? = nil) { (self.surface, self.name) = (surface, name) }

    /// A screen on a wall. Of a long name, the beginning is told.
    package init(wall name: String) {
        let bytes = name.utf8.prefix(Self.maximumSurface - Self.wallMark.utf8.count)
        self.init(surface: String(decoding: bytes, as: UTF8.self) + Self.wallMark)
    }
}

/// Those who watch a scene: some of them, and the number of the others, so that it is never long.
package struct SceneWatchers: Codable, Hashable, Sendable {
    /// How many are named.
    package static let maximumNamed = 16
    /// How many the others can be, for each who says it.
    private static let maximumMore = 100_000

    package var named: [SceneWatcher]
    /// How many there are beside those.
    package var more: Int

    package init(_ named: [SceneWatcher] = [], more: Int = 0) { (self.named, self.more) = (named, more) }

    package var count: Int { named.count + more }

    /// Those, with what is beyond the bounds counted or cut. Another process may have sent anything.
    package var bounded: SceneWatchers {
        let others = min(max(more, 0), Self.maximumMore) + max(0, named.count - Self.maximumNamed)
        return SceneWatchers(Array(named.prefix(Self.maximumNamed)), more: min(others, Self.maximumMore))
    }

    /// Those, and behind them others.
    package func joined(_ others: SceneWatchers) -> SceneWatchers {
        SceneWatchers(named + others.named, more: more + others.more).bounded
    }
}

/// Who watches a scene beside the asker.
package struct SceneCompany: Codable, Hashable, Sendable {
    /// Tells it from what was told before.
    package var number: UInt64
    package var watchers: SceneWatchers

    package init(number: UInt64, watchers: SceneWatchers) { (self.number, self.watchers) = (number, watchers) }
}
