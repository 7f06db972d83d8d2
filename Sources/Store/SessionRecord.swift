import CBOR
package import CoordinatorKit
import Foundation
import GRDB

/// An open session as it is kept: what a later host needs to give it a scene again.
package struct SessionRecord: Hashable, Sendable {
    package var id: String
    package var role: String
    package var configuration: String
    /// The order in which sessions were opened.
    package var position: Int64
    /// The state to restore; `nil` before the first checkpoint.
    package var state: UserActivity?
    /// The fencing token of the scene that wrote the state, or of a later one; 0 before the first.
    package var token: UInt64

    package init(
        id: String, role: String, configuration: String, position: Int64, state: UserActivity? = nil, token: UInt64 = 0
    ) {
        self.id = id
        self.role = role
        self.configuration = configuration
        self.position = position
        self.state = state
        self.token = token
    }
}

extension SessionRecord: FetchableRecord, PersistableRecord {
    static var databaseTableName: String { "session" }

    /// - Throws: ``SessionStateError`` when the state cannot be read.
    init(row: Row) throws {
        self.init(
            id: row["id"], role: row["role"], configuration: row["configuration"], position: row["position"],
            token: UInt64(clamping: row["token"] as Int64))
        guard let bytes: Data = row["state"] else { return }
        do {
            state = try CBORDecoder().decode(UserActivity.self, from: Array(bytes))
        } catch {
            throw SessionStateError(session: id, reason: "\(error)")
        }
    }

    /// The state is kept as it crosses the bus, in CBOR: JSON has no bytes, and takes 2.0 for 2.
    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["role"] = role
        container["configuration"] = configuration
        container["position"] = position
        container["token"] = Int64(clamping: token)
        container["state"] = try state.map { Data(try CBOREncoder().encode($0)) }
    }
}

/// A session's state that cannot be read.
struct SessionStateError: Error {
    let session: String
    let reason: String
}
