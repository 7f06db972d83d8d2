import Access
import Foundation
import ZeroMQ

extension FuzzTarget {
    /// The list of keys that a host allows, which a person edits.
    static let keys = FuzzTarget("keys") { input, memory in
        let text = String(decoding: input, as: UTF8.self)
        let list = try memory.bounded(text.utf8.count) { KeyList(text) }
        let again = KeyList(list.text)
        try require(again.entries == list.entries, "\(list.entries) are read again as \(again.entries)")
        try require(again.problems.count == list.problems.count, "\(list.problems) become \(again.problems)")
        try require(again.text == list.text, "the text changes each time that it is written")
        let entries = list.entries
        let keys = entries.flatMap(\.keys)
        try require(Set(keys).count == keys.count, "two entries have one key")
        for entry in entries {
            try require((entry.role == .invitation) == (entry.invites != nil), "\(entry) invites to nothing")
            for other in entries where other != entry {
                try require(!entry.covers(other.name), "'\(other.name)' is a name of the peers of '\(entry.name)'")
            }
        }
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var table = KeyTable().next(list)
        try require(table.count == entries.count, "\(entries.count) entries are \(table.count) in force")
        for entry in entries {
            let isThere = table.entry(of: entry.key, at: now) != nil
            try require(isThere != entry.isExpired(at: now), "\(entry) is wrongly in force, or wrongly not")
            guard let old = entry.old else { continue }
            let isOver = entry.isExpired(at: now) || old.until <= now
            try require(
                (table.entry(of: old.key, at: now) == nil) == isOver, "the old key of \(entry) is wrongly in force")
            try require(
                table.wasReplaced(old.key, at: now) == (isOver && !entry.isExpired(at: now)),
                "the old key of \(entry) was wrongly replaced")
        }
        _ = table.removeExpired(at: now)
        try require(table.count == entries.filter { !$0.isExpired(at: now) }.count, "expired keys stay")
        for entry in entries {
            var edited = list
            try require(edited.remove(entry.name) == entry.name, "'\(entry.name)' cannot be removed")
            try edited.set(entry)
            try require(Set(edited.entries) == Set(entries), "to remove and add '\(entry.name)' changes others")
        }
    }

    /// An invitation, which a person pastes.
    static let invitation = FuzzTarget("invitation") { input, memory in
        let text = String(decoding: input, as: UTF8.self)
        let token: InvitationToken
        do {
            token = try memory.bounded(text.utf8.count) { try InvitationToken(text) }
        } catch is InvitationToken.Invalid {
            return
        }
        let again = try InvitationToken(token.text)
        try require(
            again.addresses == token.addresses && again.host == token.host && again.name == token.name
                && again.expires == token.expires && again.keys.publicKey == token.keys.publicKey,
            "\(token.text) is read again as another invitation")
    }

    /// A question of libzmq about a key. The input is its parts, each behind its length in a byte.
    static let authentication = FuzzTarget("authentication") { input, _ in
        var parts: [[UInt8]] = []
        var rest = input[...]
        while let count = rest.popFirst() {
            parts.append(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        for isAllowed in [true, false] {
            var asked = 0
            let reply = AuthenticationExchange.reply(to: parts) { question in
                asked += 1
                return isAllowed && question.domain.utf8.count < 1000
            }
            try require(reply.count == 6, "an answer has \(reply.count) parts")
            try require(parts.count < 2 || reply[1] == parts[1], "an answer to another question")
            try require(asked <= 1, "asked \(asked) times")
            let isAccepted = reply[2] == Array("200".utf8)
            try require(
                isAccepted == (isAllowed && asked == 1), "a key was accepted that is not allowed, or not asked for")
            try require(!isAccepted || reply[4].count == 64, "an accepted key has no name")
        }
    }
}
