import Access
import Bus
import Foundation
import Logging
import PeerLink
import ZeroMQ

/// Machines that replace their own keys.
extension HostKeys {
    /// For how long an old key stays valid at most, in seconds.
    private static let maximumKeep = 30 * 86_400.0

    /// Puts a new key of a machine in the place of the one with which it has connected. To ask again for the same changes nothing.
    /// - Parameters:
    ///   - text: the new key.
    ///   - keep: for how long the old one stays valid, in seconds.
    /// - Returns: what the machine gets, and whether the key is new.
    /// - Throws: ``SceneCommandError`` if the key cannot be used, or if the list says something else of the old one by now.
    func rotate(_ text: String, keeping keep: Double, of access: PeerAccess) throws -> (KeyRotation, isNew: Bool) {
        let name = access.entry.name
        guard let key = PublicKey(text) else {
            throw SceneCommandError(
                .refused, "\(KeyList.quoted(text)) is no public key, which has 64 hexadecimal digits")
        }
        guard (0...Self.maximumKeep).contains(keep) else {
            throw SceneCommandError(.refused, "an old key stays valid for up to 30 days, not for \(keep) s")
        }
        let now = Date()
        let result: (KeyRotation, isNew: Bool) = try editing { list in
            guard var entry = list[name] else {
                throw SceneCommandError(.refused, "the list has no key of '\(name)' any more")
            }
            // The machine may not have got the answer the first time.
            if entry.key == key {
                return (KeyRotation(name: name, until: (entry.old?.until ?? now).timeIntervalSince1970), isNew: false)
            }
            guard entry.key == access.key else {
                throw SceneCommandError(
                    .refused,
                    "the key of '\(name)' was replaced already, by \(entry.key): only that one can be replaced again")
            }
            // The file has whole seconds.
            let until = Date(timeIntervalSince1970: (now.timeIntervalSince1970 + keep).rounded(.up))
            (entry.old, entry.key, entry.added) = (KeyEntry.OldKey(entry.key, until: until), key, now)
            try list.set(entry)
            return (KeyRotation(name: name, until: until.timeIntervalSince1970), isNew: true)
        }
        if result.isNew {
            logger.notice("a machine has replaced its key", metadata: ["name": "\(name)", "key": "\(key)"])
        }
        return result
    }

    /// Changes the list for a peer, and puts it in force.
    /// - Throws: ``SceneCommandError``.
    func editing<Result>(_ change: (inout KeyList) throws -> Result) throws -> Result {
        do {
            let result = try file.edit(waits: false, change)
            if try read() { endKeysSoon() }
            return result
        } catch let error as KeyEntry.Invalid {
            throw SceneCommandError(.refused, error.reason)
        } catch let error as PrivatePathError {
            throw SceneCommandError(.refused, "the host cannot write its list of keys: \(error)")
        }
    }
}
