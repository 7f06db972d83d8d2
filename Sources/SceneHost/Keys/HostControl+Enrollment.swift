import Access
import Bus
import Hub
import Messaging

/// Machines that were invited.
extension HostControl {
    func hostEnroll(key: String) async throws -> Enrollment {
        guard let keys, let link = MessageContext.current?.remote?.link, let access = hub.links[link]?.access,
            access.entry.role == .invitation
        else {
            throw SceneCommandError(.refused, "only a machine with an invitation hands in its key")
        }
        return try await audit.keeping(access.entry.name) { try keys.enroll(key, invitedAs: access.entry) }
    }
}
