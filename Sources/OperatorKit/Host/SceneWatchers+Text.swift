package import Bus
import Messaging

extension SceneWatcher {
    /// What the surfaces of this package say, and the host in place of those that say nothing.
    private static let kinds = Set(
        ["browser", "terminal", "command line", "program", "host"] + PeerRole.allCases.map(\.rawValue))

    /// The one whom others are told of, for people. That a user looks at a page goes without saying.
    ///
    /// A surface is what any asker says: it is quoted, so that nobody takes it for the name of a user.
    package var text: String {
        if let name { return surface == "browser" ? name : "\(name) (\(shownSurface))" }
        return Self.kinds.contains(surface) || wall != nil ? shownSurface : "\(shownSurface) (no user)"
    }

    private var shownSurface: String {
        if Self.kinds.contains(surface) { return surface }
        return wall.map { "\(Self.quoted($0))\(Self.wallMark)" } ?? Self.quoted(surface)
    }

    /// The name of a screen on a wall; `nil` if it is none.
    private var wall: String? {
        surface.hasSuffix(Self.wallMark) ? String(surface.dropLast(Self.wallMark.count)) : nil
    }

    private static func quoted(_ text: String) -> String {
        "\"\(String(text.map { $0 == "\"" ? "'" : $0 }))\""
    }
}

extension SceneWatchers {
    /// Whom a line names, and how many it only counts.
    /// - Parameter count: how many are named. Those of one text are named together.
    package func texts(naming count: Int) -> (names: [String], more: Int) {
        var names: [(text: String, count: Int)] = []
        for text in named.map(\.text) {
            if let index = names.firstIndex(where: { $0.text == text }) {
                names[index].count += 1
            } else {
                names.append((text, 1))
            }
        }
        return (
            names.prefix(count).map { $0.count == 1 ? $0.text : "\($0.count) × \($0.text)" },
            names.dropFirst(count).reduce(more) { $0 + $1.count }
        )
    }

    /// Those as a sentence about others; `nil` for nobody.
    package func line(naming count: Int) -> String? {
        var (parts, more) = texts(naming: count)
        guard !parts.isEmpty else { return more > 0 ? "\(more) also here" : nil }
        if more > 0 { parts.append("\(more) more") }
        return "also here: \(parts.joined(separator: ", "))"
    }
}
