/// What has changed between two contents of a scene.
///
/// One rule: layers, blocks, rows and series are maps, which are merged by key, and null removes. A layer with `whole`, a
/// block with `type` and a series with `points` replace what was there; without it they merge their own fields. Rows and
/// all other fields are whole. A series with `points+` keeps its points and appends these, and of all of them keeps the last
/// `window`.
public struct ContentDifference: Hashable, Sendable, Codable {
    public let node: ContentNode

    /// Wraps what another process has sent.
    public init(node: ContentNode) { self.node = node }

    public init(from decoder: any Decoder) throws { node = try ContentNode(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try node.encode(to: encoder) }

    /// Whether nothing has changed.
    public var isEmpty: Bool { node == .map([:]) }
}

/// Why a difference cannot be applied: it was made for another content.
public struct DifferenceDoesNotFit: Error, Hashable, CustomStringConvertible {
    /// The key of the part that is missing.
    public let part: String

    public var description: String { "the difference was made for another content: '\(part)' is not in this one" }
}

extension SceneLayers {
    /// Returns what has changed since an earlier content.
    public func difference(from old: SceneLayers) -> ContentDifference {
        ContentDifference(node: .map(Level.content.changes(from: old.node.map, to: node.map)))
    }

    /// Returns the content after a difference.
    /// - Throws: ``DifferenceDoesNotFit`` if the difference was made for another content.
    public func applying(_ difference: ContentDifference) throws(DifferenceDoesNotFit) -> SceneLayers {
        SceneLayers(node: .map(try Level.content.merge(difference.node.map, into: node.map)))
    }
}

extension ContentDifference {
    /// What an earlier content does not share with the one that this makes of it, roughly, in bytes, besides what is replaced: the
    /// maps and lists in which something changes are copied.
    package func copies(of old: SceneLayers) -> Int { Self.copies(of: old.node, changing: node) }

    private static func copies(of old: ContentNode, changing change: ContentNode) -> Int {
        guard case .map(let fields) = old, case .map(let changes) = change else { return 0 }
        return changes.reduce(64 * fields.count) { sum, change in
            if change.key == "points+" { return sum + 32 * (fields["points"]?.list.count ?? 0) }
            return sum + (fields[change.key].map { copies(of: $0, changing: change.value) } ?? 0)
        }
    }
}

/// Where in a content a map of fields is.
private enum Level {
    case content, layer, block, series

    /// The level of the values of a field whose map is merged by key; `nil` for a field that is whole.
    private func level(ofValuesOf field: String) -> Keys? {
        switch (self, field) {
        case (.content, "layers"): .merged(.layer)
        case (.layer, "blocks"): .merged(.block)
        case (.block, "rows"): .whole
        case (.block, "series"): .merged(.series)
        default: nil
        }
    }

    private enum Keys {
        case merged(Level)
        case whole
    }

    /// The field that says that a value replaces what was there.
    private var replacing: String {
        switch self {
        case .content, .layer: "whole"
        case .block: "type"
        case .series: "points"
        }
    }

    /// Whether a changed value must be sent whole.
    private func isReplaced(_ old: [String: ContentNode], by new: [String: ContentNode]) -> Bool {
        switch self {
        case .content, .layer: false
        case .block: old["type"] != new["type"]
        case .series: SeriesGrowth(from: old["points"], to: new["points"]) == nil
        }
    }

    private func whole(_ fields: [String: ContentNode]) -> ContentNode {
        guard self == .layer else { return .map(fields) }
        return .map(fields.merging(["whole": .bool(true)]) { $1 })
    }

    // MARK: - Comparing

    func changes(from old: [String: ContentNode], to new: [String: ContentNode]) -> [String: ContentNode] {
        var changes: [String: ContentNode] = [:]
        for (field, value) in new where old[field] != value {
            if self == .series, field == "points" {
                let growth = SeriesGrowth(from: old[field], to: value)
                changes["points+"] = growth.map { .list($0.added) }
                changes["window"] = growth.map { .number(Double($0.window)) }
                continue
            }
            guard let keys = level(ofValuesOf: field), case .map(let before)? = old[field], case .map(let after) = value
            else {
                changes[field] = value
                continue
            }
            changes[field] = .map(Self.changes(from: before, to: after, keys))
        }
        for field in old.keys where new[field] == nil { changes[field] = .null }
        return changes
    }

    private static func changes(
        from old: [String: ContentNode], to new: [String: ContentNode], _ keys: Keys
    ) -> [String: ContentNode] {
        var changes: [String: ContentNode] = [:]
        for (key, value) in new where old[key] != value {
            switch keys {
            case .whole: changes[key] = value
            case .merged(let level):
                guard case .map(let before)? = old[key], case .map(let after) = value else {
                    changes[key] = level.whole(value.map)
                    continue
                }
                changes[key] =
                    level.isReplaced(before, by: after)
                    ? level.whole(after) : .map(level.changes(from: before, to: after))
            }
        }
        for key in old.keys where new[key] == nil { changes[key] = .null }
        return changes
    }

    // MARK: - Applying

    func merge(
        _ changes: [String: ContentNode], into old: [String: ContentNode]
    ) throws(DifferenceDoesNotFit) -> [String: ContentNode] {
        var fields = old
        for (field, value) in changes {
            if self == .series, field == "points+" || field == "window" { continue }
            guard value != .null else {
                fields[field] = nil
                continue
            }
            guard let keys = level(ofValuesOf: field), case .map(let before)? = old[field], case .map(let after) = value
            else {
                fields[field] = value
                continue
            }
            fields[field] = .map(try Self.merge(after, into: before, keys))
        }
        if self == .series, let added = changes["points+"] {
            let points = (old["points"]?.list ?? []) + added.list
            let window = changes["window"]?.number.map { Int(max(0, min($0, Double(points.count)))) }
            fields["points"] = .list(Array(points.suffix(window ?? points.count)))
        }
        return fields
    }

    private static func merge(
        _ changes: [String: ContentNode], into old: [String: ContentNode], _ keys: Keys
    ) throws(DifferenceDoesNotFit) -> [String: ContentNode] {
        var values = old
        for (key, value) in changes {
            guard value != .null else {
                values[key] = nil
                continue
            }
            guard case .merged(let level) = keys else {
                values[key] = value
                continue
            }
            var fields = value.map
            if fields[level.replacing] != nil {
                if level == .layer { fields["whole"] = nil }
                values[key] = .map(fields)
            } else if case .map(let before)? = old[key] {
                values[key] = .map(try level.merge(fields, into: before))
            } else {
                throw DifferenceDoesNotFit(part: key)
            }
        }
        return values
    }
}

/// How a series has grown: some of its first points are gone, and others have come at its end.
private struct SeriesGrowth {
    let added: [ContentNode]
    /// How many of the points are kept.
    let window: Int

    /// The places at which the new points may begin among the old ones that are looked at, because equal points may be many.
    private static let attempts = 16

    /// - Returns: `nil` unless the new points begin with the last of the old ones.
    init?(from old: ContentNode?, to new: ContentNode?) {
        guard case .list(let old)? = old, case .list(let new)? = new, let first = new.first else { return nil }
        var attempts = 0
        for start in old.indices where old[start] == first {
            let kept = old.count - start
            attempts += 1
            guard attempts <= Self.attempts else { return nil }
            guard kept <= new.count, old[start...].elementsEqual(new[..<kept]) else { continue }
            added = Array(new[kept...])
            window = new.count
            return
        }
        return nil
    }
}
