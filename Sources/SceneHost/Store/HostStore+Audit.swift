import Bus
import GRDB

extension HostStore {
    /// Reads the audit entries since a time, the oldest first.
    func audit(since time: Double, after number: Int64, limit: Int) async throws -> [AuditEntry] {
        try await StoreError.naming(path) {
            try await queue.read { try AuditRecord.fetch(since: time, after: number, limit: limit, in: $0) }
        }
    }
}
