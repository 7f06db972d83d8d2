package import CBOR
import Foundation
import GRDB

/// The stored form of an open session, from which a later host restores its scene.
package struct SessionRecord: Hashable, Sendable {
    package var id: String
    package var role: String
    package var configuration: String
    /// The session's position in the order of opening.
    package var position: Int64
    /// The state to restore, as encoded by the worker; `nil` before the first checkpoint.
    package var state: CBORRaw?
    /// The fencing token of the scene that wrote the state, or of a later scene; 0 before the first scene.
    package var token: UInt64
    /// Why it is suspected of crashing its workers; `nil` when it is not.
    package var suspicion: Suspicion?
    /// The name of the key of the worker that was given the session last; `nil` for a worker without a key.
    package var holder: String?

    package init(
        id: String, role: String, configuration: String, position: Int64, state: CBORRaw? = nil, token: UInt64 = 0,
        suspicion: Suspicion? = nil, holder: String? = nil
    ) {
        self.id = id
        self.role = role
        self.configuration = configuration
        self.position = position
        self.state = state
        self.token = token
        self.suspicion = suspicion
        self.holder = holder
    }
}

extension SessionRecord: FetchableRecord, PersistableRecord {
    static var databaseTableName: String { "session" }

    /// - Throws: ``UnreadableRow`` when it cannot be read.
    init(row: Row) throws {
        let id: String = try UnreadableRow.value(of: "id", in: row, "a session")
        let what = "session '\(id)'"
        self.init(
            id: id, role: try UnreadableRow.value(of: "role", in: row, what),
            configuration: try UnreadableRow.value(of: "configuration", in: row, what),
            position: try UnreadableRow.value(of: "position", in: row, what),
            token: UInt64(clamping: try UnreadableRow.value(of: "token", in: row, what) as Int64))
        let crashes: DatabaseValue = row["suspicion"]
        suspicion = String.fromDatabaseValue(crashes).flatMap(Suspicion.init(encoded:))
        holder = String.fromDatabaseValue(row["holder"])
        let stored: DatabaseValue = row["state"]
        guard !stored.isNull else { return }
        let bytes: Data = try UnreadableRow.value(of: "state", in: row, what)
        do {
            state = try CBORRaw(Array(bytes))
        } catch {
            throw UnreadableRow(
                """
                the state of \(what) cannot be read (\(error)): it stays in the store for a version that can read it, \
                and the session is not open; to open it without its state at the next start of the host, run \
                "UPDATE session SET state = NULL WHERE id = '\(id.replacing("'", with: "''"))'"
                """)
        }
    }

    /// Writes the columns. The state is stored byte for byte as received; only workers interpret it.
    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["role"] = role
        container["configuration"] = configuration
        container["position"] = position
        container["token"] = Int64(clamping: token)
        container["suspicion"] = suspicion?.encoded
        container["holder"] = holder
        container["state"] = state.map { Data($0.bytes) }
    }
}
