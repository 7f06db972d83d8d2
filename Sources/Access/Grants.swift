import Bus

/// What a key may do besides its role, or less than it. A kind that is granted at all is allowed for what the patterns match,
/// and for nothing else.
package struct Grants: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// To send messages. A message of the protocol itself is matched by its whole name only.
        case send
        /// To handle messages, and to offer services.
        case handle
        /// To provide entries.
        case provide
        /// To run scenes of configurations.
        case offer
        /// To read entries.
        case read
        /// To read sessions and to act for them. A pattern matches identifiers of sessions, and configurations.
        case session
        /// To see messages while watching the traffic.
        case watch
        /// To act for users of its own, and to say for which.
        case user
    }

    private var patterns: [Kind: [NamePattern]] = [:]

    package init() {}

    /// Adds a grant, such as `send=account*`.
    /// - Returns: why the text is none; `nil` when it was added.
    package mutating func add(_ text: some StringProtocol) -> String? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else {
            return "'\(text)' is no grant: write it as send=NAME, with one of \(kinds)"
        }
        guard let pattern = NamePattern(parts[1]) else {
            return "'\(parts[1])' is no pattern: it is a name, or the beginning of names and a '*'"
        }
        if patterns[kind]?.contains(pattern) != true { patterns[kind, default: []].append(pattern) }
        return nil
    }

    package subscript(kind: Kind) -> [NamePattern]? { patterns[kind] }

    /// As ``add(_:)`` reads them.
    package var texts: [String] {
        Kind.allCases.flatMap { kind in (patterns[kind] ?? []).map { "\(kind.rawValue)=\($0)" } }
    }

    /// Returns the grants that match none of the names that there are, as ``texts`` has them.
    /// - Parameter names: the names of a kind. A kind that is missing is not looked at.
    package func unmatched(among names: [Kind: Set<String>]) -> [String] {
        names.flatMap { kind, names in
            (patterns[kind] ?? []).filter { pattern in
                let isOfProtocol = kind == .send && ProtocolMessages.names.contains { pattern.names($0) }
                return !isOfProtocol && !names.contains { pattern.matches($0) }
            }.map { "\(kind.rawValue)=\($0)" }
        }.sorted()
    }
}
