import Access
import Bus
import Foundation
import Logging
import ZeroMQ

/// Administrators, who decide over the bus which keys are allowed.
extension HostKeys {
    /// Returns a page of the list, in the order of the names.
    func page(after place: String?, limit: Int?) throws -> KeyPage {
        if let place, BusName.problem(with: place) != nil { throw SceneCommandError.unknownPage(place) }
        let list: KeyList
        do {
            list = try file.read()
        } catch {
            throw SceneCommandError(.refused, "the host cannot read its list of keys: \(error)")
        }
        let left = list.entries.filter { $0.name > place ?? "" }.sorted { $0.name < $1.name }
        let page = left.prefix(ListPages.length(limit))
        return KeyPage(
            keys: page.map(\.status), problems: list.problems.map { "\(file.path), \($0)" },
            next: left.count > page.count ? page.last?.name : nil)
    }

    /// Allows a key, or changes what it may do.
    /// - Parameter access: of the peer that asks; `nil` for one of this machine, which has no key.
    /// - Throws: ``SceneCommandError``.
    func allow(_ entry: KeyEntry, by access: PeerAccess?) throws -> KeyChange {
        try check(entry.name, by: access)
        var entry = entry
        entry.added = Date()
        let change = KeyChange(
            name: entry.name, hostKey: "\(own.publicKey)", expires: entry.expires?.timeIntervalSince1970)
        return try editing { list in
            if let refusal = list.refusal(of: entry) { throw SceneCommandError(.refused, refusal) }
            try list.allow(entry)
            return change
        }
    }

    /// Removes a key.
    /// - Parameter text: its name, or the beginning of the key.
    /// - Throws: ``SceneCommandError``.
    func revoke(_ text: String, by access: PeerAccess?) throws -> KeyChange {
        try editing { list in
            guard let name = list.remove(text) else {
                throw SceneCommandError(
                    .refused, "no key, or more than one, matches \(KeyList.quoted(text)); see 'scenebus key ls'")
            }
            // The list is written only if nothing is thrown.
            try check(name, by: access)
            return KeyChange(name: name, hostKey: "\(own.publicKey)")
        }
    }

    /// Refuses to change the line of the key that asks: an administrator would lock itself out, and the last one everybody.
    private func check(_ name: String, by access: PeerAccess?) throws {
        guard let own = access?.entry.name, own == name else { return }
        throw SceneCommandError(
            .refused,
            "'\(own)' is the key that asks, and no key changes its own line: use the key of another administrator, or run the "
                + "command on the machine of the host. 'scenebus key rotate' replaces the key itself")
    }
}
