import Access
import Bus
import Hub
import Messaging

/// Machines that were invited, and those that replace their keys.
extension HostControl {
    func hostEnroll(key: String) async throws -> Enrollment {
        guard let keys, let access = accessOfSender, access.entry.role == .invitation else {
            throw SceneCommandError(.refused, "only a machine with an invitation hands in its key")
        }
        return try await audit.keeping(access.entry.name) { try keys.enroll(key, invitedAs: access.entry) }
    }

    func hostRotateKey(key: String, keep: Double) async throws -> KeyRotation {
        guard let keys, let access = accessOfSender else {
            throw SceneCommandError(.refused, "only a machine with a key replaces it")
        }
        return try await audit.keeping(access.entry.name) { try keys.rotate(key, keeping: keep, of: access) }
    }

    /// What the key of the peer allows whose request is being handled; `nil` for a peer without a key.
    var accessOfSender: PeerAccess? { hub.linkOfSender?.access }
}
