package import Messaging
import Foundation
import GRDB

/// One thing to write; several are written in one transaction.
package enum StoreOperation: Sendable {
    /// Keeps sessions as they are now.
    case saveSessions([SessionRecord])
    /// Forgets a session.
    case deleteSession(String)
    /// A request is about to be handed on.
    case addRequest(RequestRecord)
    /// The reply to a request: the encoded frame.
    case addReply([UInt8], to: MessageID, from: String)
    /// Forgets a request: it was not handed on.
    case deleteRequest(MessageID, from: String)
    /// Forgets the requests that were handed on before this time, in seconds since 1970.
    case deleteRequests(before: Int64)
    /// Gives the requests of a time outside of these another, in seconds since 1970.
    case redateRequests(outside: ClosedRange<Int64>, to: Int64)
    /// A host runs, in this epoch, which is later than all before.
    case beginLife(epoch: UInt64)
    /// The host has ended in order, with no scene left running.
    case endLife

    func perform(in database: Database) throws {
        switch self {
        case .saveSessions(let sessions):
            for session in sessions { try session.save(database) }
        case .deleteSession(let id):
            try SessionRecord.deleteOne(database, key: id)
        case .addRequest(let record):
            try execute(
                // One that a clock which was put back has left may be there still.
                "INSERT OR REPLACE INTO request (peer, id, message, time) VALUES (?, ?, ?, ?)",
                [record.peer, RequestRecord.data(of: record.id), record.message, record.time], in: database)
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
        }
    }

    private func execute(_ sql: String, _ arguments: StatementArguments, in database: Database) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
