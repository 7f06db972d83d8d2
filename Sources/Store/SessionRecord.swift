package import CoordinatorKit
import GRDB

/// An open session as it is kept: what a later host needs to give it a scene again.
package struct SessionRecord: Codable, Hashable, Sendable, FetchableRecord, PersistableRecord {
    package static let databaseTableName = "session"

    package var id: String
    package var role: String
    package var configuration: String
    /// The order in which sessions were opened.
    package var position: Int64
    /// The state to restore; `nil` before the first checkpoint. Kept as JSON text, for people with `sqlite3`.
    package var state: UserActivity?

    package init(id: String, role: String, configuration: String, position: Int64, state: UserActivity? = nil) {
        self.id = id
        self.role = role
        self.configuration = configuration
        self.position = position
        self.state = state
    }
}
