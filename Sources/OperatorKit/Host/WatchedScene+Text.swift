import Bus
package import CBOR
import SceneContent

extension WatchedScene {
    /// What has changed, as a line for people.
    /// - Parameter old: the element before; `nil` for none.
    package func line(after old: WatchedScene?) -> String {
        let words = "[\(state.map(\.rawValue) ?? "host away")]"
        var parts: [String] = []
        if let problem, problem != old?.problem { parts.append(problem) }
        if let top = layers.top {
            let isOther = top.key != old?.layers.top?.key
            if isOther {
                parts.append("shows \(Self.count(top.blockNodes.count, "block"))")
            } else if let before = old?.layers.top {
                parts += top.changes(since: before)
            }
        }
        if company != old?.company ?? SceneWatchers() { parts.append(company.line(naming: 8) ?? "nobody else is here") }
        if parts.isEmpty, state == old?.state { parts = ["something else has changed"] }
        let title = layers.top?.title ?? ""
        let head = title.isEmpty ? words : "\(words) \(title)"
        let separator = title.isEmpty ? " " : ": "
        return parts.isEmpty ? head : head + separator + parts.joined(separator: "; ")
    }

    fileprivate static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// What has changed, for programs: the whole content, or the difference from the element before.
    package var item: CBORValue {
        var fields: [CBORMap.Pair] = [
            .init(key: "session", value: .string(session)),
            .init(key: "state", value: state.map { .string($0.rawValue) } ?? .null),
            .init(key: "problem", value: problem.map { .string($0) } ?? .null),
            .init(key: "since", value: .double(since)),
        ]
        switch difference {
        case nil: fields.append(.init(key: "content", value: layers.node.item))
        case let difference? where !difference.isEmpty:
            fields.append(.init(key: "difference", value: difference.node.item))
        default: break
        }
        if company.count > 0 {
            fields.append(.init(key: "others", value: .array(company.named.map(\.item))))
            fields.append(.init(key: "furtherOthers", value: .int(Int64(company.more))))
        }
        return .map(CBORMap(fields))
    }
}

extension SceneWatcher {
    fileprivate var item: CBORValue {
        .map(
            CBORMap([
                .init(key: "surface", value: .string(surface)),
                .init(key: "name", value: name.map { .string($0) } ?? .null),
            ]))
    }
}

extension ContentLayer {
    /// All blocks that were sent, also those that no surface shows, such as those beyond the bounds.
    private var sentBlocks: [String: ContentNode] { node["blocks"]?.map ?? [:] }

    /// Which blocks have changed, as few words as possible.
    fileprivate func changes(since old: ContentLayer) -> [String] {
        let (new, before) = (sentBlocks, old.sentBlocks)
        let added = new.keys.filter { before[$0] == nil }
        let removed = before.keys.filter { new[$0] == nil }
        let changed = new.keys.filter { key in before[key].map { $0 != new[key] } ?? false }
        var changes: [String] = []
        for (keys, verb) in [(changed, "changed"), (added, "added"), (removed, "removed")] where !keys.isEmpty {
            changes.append("\(Self.list(keys.sorted())) \(verb)")
        }
        if title != old.title { changes.append("title changed") }
        if tabs != old.tabs { changes.append("tabs changed") }
        if changes.isEmpty, self != old { changes.append("order changed") }
        return changes
    }

    /// How many blocks a line names.
    private static let named = 8

    private static func list(_ keys: [String]) -> String {
        let names = keys.prefix(named).joined(separator: ", ")
        return keys.count > named ? "\(names) and \(keys.count - named) more" : names
    }
}
