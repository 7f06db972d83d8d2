package import Bus
package import Messaging
import Foundation
import GRDB
import Synchronization

/// A write operation. Several operations share one transaction.
package enum StoreOperation: Sendable {
    /// Inserts or updates sessions.
    case saveSessions([SessionRecord])
    /// Deletes a session.
    case deleteSession(String)
    /// Records a request that is about to be forwarded.
    case addRequest(RequestRecord)
    /// Records the reply to a request, as an encoded frame.
    case addReply([UInt8], to: MessageID, from: String)
    /// Deletes the record of a request that was not forwarded.
    case deleteRequest(MessageID, from: String)
    /// Deletes the records of requests before this time, in seconds since 1970.
    case deleteRequests(before: Int64)
    /// Sets the time of the records outside of this range, in seconds since 1970.
    case redateRequests(outside: ClosedRange<Int64>, to: Int64)
    /// Records that a host runs in this epoch, which is later than all earlier ones.
    case beginLife(epoch: UInt64)
    /// Records that the host has shut down in order, with no scene left running.
    case endLife
    /// Records requests again, without replies, except those that are on record.
    case restoreRequests([RequestRecord])
    /// Records what a peer has done.
    case addAudit(AuditEntry)
    /// Changes nothing, to find out whether the store can be written.
    case probe

    func perform(in database: Database) throws {
        switch self {
        case .saveSessions(let sessions):
            for session in sessions { try session.save(database) }
        case .deleteSession(let id):
            try SessionRecord.deleteOne(database, key: id)
        case .addRequest(let record):
            try execute(
                // An old record may still exist after the clock was set back.
                "INSERT OR REPLACE INTO request (peer, id, message, time) VALUES (?, ?, ?, ?)",
                [record.peer, RequestRecord.data(of: record.id), record.message, record.time], in: database)
        case .restoreRequests(let records):
            for record in records {
                try execute(
                    "INSERT OR IGNORE INTO request (peer, id, message, time) VALUES (?, ?, ?, ?)",
                    [record.peer, RequestRecord.data(of: record.id), record.message, record.time], in: database)
            }
        case .addReply(let frame, let id, let peer):
            try execute(
                "UPDATE request SET reply = ? WHERE peer = ? AND id = ?",
                [Data(frame), peer, RequestRecord.data(of: id)], in: database)
        case .deleteRequest(let id, let peer):
            try execute(
                "DELETE FROM request WHERE peer = ? AND id = ?", [peer, RequestRecord.data(of: id)], in: database)
        case .deleteRequests(let time):
            try execute("DELETE FROM request WHERE time < ?", [time], in: database)
        case .redateRequests(let times, let time):
            try execute(
                "UPDATE request SET time = ? WHERE time < ? OR time > ?", [time, times.lowerBound, times.upperBound],
                in: database)
        case .beginLife(let epoch):
            try execute("UPDATE host SET cleanEnd = FALSE, epoch = ?", [Int64(clamping: epoch)], in: database)
            if database.changesCount == 0 {
                try execute(
                    "INSERT INTO host (cleanEnd, epoch) VALUES (FALSE, ?)", [Int64(clamping: epoch)], in: database)
            }
        case .endLife:
            try execute("UPDATE host SET cleanEnd = TRUE", [], in: database)
        case .addAudit(let entry): try AuditRecord.add(entry, in: database)
        case .probe:
            try execute("UPDATE host SET epoch = epoch", [], in: database)
        }
    }

    private func execute(_ sql: String, _ arguments: StatementArguments, in database: Database) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension StoreOperation {
    /// Whether this records what a peer has done.
    var isAudit: Bool {
        if case .addAudit = self { true } else { false }
    }

    /// Whether this begins a life that a store in this epoch has already begun.
    func isBegun(in current: UInt64?) -> Bool {
        if case .beginLife(let epoch) = self { epoch == current } else { false }
    }
}
