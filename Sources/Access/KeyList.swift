import Bus
import ZeroMQ

/// The keys that a host allows, as a text file: a line each,
/// `NAME ROLE KEY [GRANT…] [old=KEY until=TIME] [added=TIME] [expires=TIME] [# comment]`.
/// Empty lines, and lines that begin with a `#`, are kept as they are.
package struct KeyList: Hashable, Sendable {
    /// A line. What most lines do not have is stored elsewhere, so that a file of empty ones needs little memory.
    package enum Line: Hashable, Sendable {
        indirect case entry(KeyEntry)
        /// A line that cannot be used.
        indirect case broken(String, reason: String)
        /// A comment, or an empty line.
        case other(String)
    }

    /// The maximum number of keys.
    package static let maximumCount = 10_000
    /// The maximum size of the file, in bytes.
    package static let maximumSize = 4 << 20

    package private(set) var lines: [Line] = []

    package init() {}

    package init(_ text: String) {
        var checker = Checker()
        var rest = text[...]
        var number = 0
        // Not split at once, which would need as much memory again. What follows the last newline is no line.
        while !rest.isEmpty {
            let line = rest.prefix { !$0.isNewline }
            rest = rest[line.endIndex...].dropFirst()
            number += 1
            let beginning = line.first { !$0.isWhitespace }
            guard let beginning, beginning != "#" else {
                lines.append(.other(String(line)))
                continue
            }
            do throws(KeyEntry.Invalid) {
                let entry = try KeyEntry(line: line)
                try checker.check(entry, at: number)
                lines.append(.entry(entry))
            } catch {
                lines.append(.broken(String(line), reason: error.reason))
            }
        }
    }

    package var entries: [KeyEntry] {
        lines.compactMap { if case .entry(let entry) = $0 { entry } else { nil } }
    }

    /// What is wrong with the lines that cannot be used, such as "line 3: 'driver' is no role".
    package var problems: [String] {
        lines.enumerated().compactMap { index, line in
            guard case .broken(_, let reason) = line else { return nil }
            return "line \(index + 1): \(reason)"
        }
    }

    /// The names at the beginning of the lines that cannot be used.
    package var brokenNames: [String] { lines.compactMap(Self.brokenName) }

    private static func brokenName(_ line: Line) -> String? {
        guard case .broken(let text, _) = line else { return nil }
        return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }

    package var text: String {
        lines.map { line in
            switch line {
            case .entry(let entry): entry.line + "\n"
            case .broken(let text, _), .other(let text): text + "\n"
            }
        }.joined()
    }

    package subscript(name: String) -> KeyEntry? { entries.first { $0.name == name } }

    /// Adds an entry, or replaces the one of its name at its place.
    /// - Throws: ``KeyEntry/Invalid`` if its key or its name is in use.
    package mutating func set(_ entry: KeyEntry) throws(KeyEntry.Invalid) {
        var checker = Checker()
        var place = lines.endIndex
        for (index, line) in lines.enumerated() {
            guard case .entry(let other) = line else { continue }
            if other.name == entry.name { place = index } else { try checker.check(other, at: index + 1) }
        }
        try checker.check(entry, at: place + 1)
        if place < lines.endIndex { lines[place] = .entry(entry) } else { lines.append(.entry(entry)) }
    }

    /// Adds an entry as a person makes it, or replaces the one of its name. If the key is the same, so is the one before it.
    package mutating func allow(_ entry: KeyEntry) throws(KeyEntry.Invalid) {
        var entry = entry
        if let other = self[entry.name], other.key == entry.key { entry.old = other.old }
        try set(entry)
    }

    /// Returns why an entry may not be allowed: an invitation takes the place of no other key. `nil` when it may.
    package func refusal(of entry: KeyEntry) -> String? {
        guard entry.role == .invitation, let other = self[entry.name], other.role != .invitation else { return nil }
        return "'\(entry.name)' has a key already; revoke it first with 'scenebus key revoke \(entry.name)', or choose "
            + "another name"
    }

    /// Removes all lines of a name, also those that cannot be used otherwise.
    /// - Parameter text: the name, or the beginning of one key, of at least 8 digits.
    /// - Returns: the name; `nil` if there is no such line, or if several keys begin so.
    package mutating func remove(_ text: String) -> String? {
        var name = text
        if !lines.contains(where: { Self.name($0) == text }) {
            let matching = entries.filter { entry in
                text.utf8.count >= 8 && entry.keys.contains { "\($0)".hasPrefix(text.lowercased()) }
            }
            guard matching.count == 1 else { return nil }
            name = matching[0].name
        }
        lines.removeAll { Self.name($0) == name }
        return name
    }

    /// Whether a text may name a key, in a log, an error or the audit: it is a name, or the beginning of a key. Anything else may
    /// be a secret that was pasted in the wrong place.
    package static func isNameOrKey(_ text: some StringProtocol) -> Bool {
        let isKey = !text.isEmpty && text.utf8.count <= 64 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isKey || BusName.problem(with: String(text)) == nil && !InvitationToken.begins(text)
    }

    /// A text that was given for a key, for errors.
    package static func quoted(_ text: some StringProtocol) -> String {
        isNameOrKey(text) ? "'\(text)'" : "the given text"
    }

    private static func name(_ line: Line) -> String? {
        if case .entry(let entry) = line { return entry.name }
        return brokenName(line)
    }

    /// Checks that no two lines have one key, or names of which one covers the other.
    private struct Checker {
        private var linesByKey: [PublicKey: Int] = [:]
        private var linesByName: [String: Int] = [:]
        /// The names that would cover one of the names.
        private var coverers: [String: (line: Int, name: String)] = [:]

        mutating func check(_ entry: KeyEntry, at line: Int) throws(KeyEntry.Invalid) {
            guard linesByKey.count < KeyList.maximumCount else {
                throw KeyEntry.Invalid("there are more than \(KeyList.maximumCount) keys")
            }
            for key in entry.keys {
                guard let other = linesByKey[key] else { continue }
                throw KeyEntry.Invalid("the key of '\(entry.name)' is that of line \(other), too: a key has one name")
            }
            if let other = linesByName[entry.name] {
                throw KeyEntry.Invalid("the name '\(entry.name)' is that of line \(other), too")
            }
            let names = Self.names(covering: entry.name)
            for name in names {
                if let other = linesByName[name] {
                    throw KeyEntry.Invalid(
                        "'\(entry.name)' is among the names of the peers of '\(name)' in line \(other)")
                }
            }
            if let (other, name) = coverers[entry.name] {
                throw KeyEntry.Invalid("'\(name)' of line \(other) is among the names of the peers of '\(entry.name)'")
            }
            for key in entry.keys { linesByKey[key] = line }
            linesByName[entry.name] = line
            for name in names { coverers[name] = (line, entry.name) }
        }

        private static func names(covering name: String) -> [String] {
            name.indices.filter { name[$0] == "-" && $0 > name.startIndex && name.index(after: $0) < name.endIndex }
                .map { String(name[..<$0]) }
        }
    }
}
