import Access
import Bus
import Hub
import Messaging

/// Machines that were invited, and those that replace their keys.
extension HostControl {
    func hostEnroll(key: String) async throws -> Enrollment {
        guard let keys, let link = try hub.linkOfSender, let access = link.access, access.entry.role == .invitation
        else {
            throw SceneCommandError(.refused, "only a machine with an invitation hands in its key")
        }
        return try audit.keeping(access.entry.name, of: link) {
            (try keys.enroll(key, invitedAs: access.entry), isNew: true)
        }
    }

    func hostRotateKey(key: String, keep: Double) async throws -> KeyRotation {
        guard let keys, let link = try hub.linkOfSender, let access = link.access else {
            throw SceneCommandError(.refused, "only a machine with a key replaces it")
        }
        return try audit.keeping(access.entry.name, of: link) {
            try keys.rotate(key, keeping: keep, of: access)
        }
    }

    /// What the key of the peer allows whose request is being handled; `nil` for a peer without a key.
    /// - Throws: ``MessageError`` if the peer is gone.
    var accessOfSender: PeerAccess? { get throws { try hub.linkOfSender?.access } }
}
