package import CBOR
import Foundation
import GRDB

/// An open session as it is kept: what a later host needs to give it a scene again.
package struct SessionRecord: Hashable, Sendable {
    package var id: String
    package var role: String
    package var configuration: String
    /// The order in which sessions were opened.
    package var position: Int64
    /// The state to restore, as the worker's bytes; `nil` before the first checkpoint.
    package var state: CBORRaw?
    /// The fencing token of the scene that wrote the state, or of a later one; 0 before the first.
    package var token: UInt64

    package init(
        id: String, role: String, configuration: String, position: Int64, state: CBORRaw? = nil, token: UInt64 = 0
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

    /// - Throws: ``UnreadableRow`` when it cannot be read.
    init(row: Row) throws {
        let id: String = try UnreadableRow.value(of: "id", in: row, "a session")
        let what = "session '\(id)'"
        self.init(
            id: id, role: try UnreadableRow.value(of: "role", in: row, what),
            configuration: try UnreadableRow.value(of: "configuration", in: row, what),
            position: try UnreadableRow.value(of: "position", in: row, what),
            token: UInt64(clamping: try UnreadableRow.value(of: "token", in: row, what) as Int64))
        let stored: DatabaseValue = row["state"]
        guard !stored.isNull else { return }
        let bytes: Data = try UnreadableRow.value(of: "state", in: row, what)
        do {
            state = try CBORRaw(Array(bytes))
        } catch {
            throw UnreadableRow(
                """
                the state of \(what) cannot be read (\(error)): it stays in the store, for a version that can, and the session is \
                not open; let it start anew with the next host with \
                "UPDATE session SET state = NULL WHERE id = '\(id.replacing("'", with: "''"))'"
                """)
        }
    }

    /// The state is kept as it crosses the bus, byte for byte: what it means is for the workers to know.
    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["role"] = role
        container["configuration"] = configuration
        container["position"] = position
        container["token"] = Int64(clamping: token)
        container["state"] = state.map { Data($0.bytes) }
    }
}
