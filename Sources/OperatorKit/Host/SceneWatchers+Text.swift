package import Bus

extension SceneWatcher {
    /// The one whom others are told of, for people. That a user looks at a page goes without saying.
    package var text: String {
        guard let name else { return surface }
        return surface == "browser" ? name : "\(name) (\(surface))"
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
