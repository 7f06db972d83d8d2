package import Messaging
import Foundation
import GRDB

/// That a request was handed on which must not be handled twice: written before it is, kept with its reply.
package struct RequestRecord: Hashable, Sendable {
    static let databaseTableName = "request"

    /// The peer that sent it.
    package var peer: String
    package var id: MessageID
    /// The message's name.
    package var message: String
    /// When it was handed on, in seconds since 1970.
    package var time: Int64

    package init(peer: String, id: MessageID, message: String, time: Int64) {
        self.peer = peer
        self.id = id
        self.message = message
        self.time = time
    }

    static func data(of id: MessageID) -> Data {
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { Data($0) }
    }

    fileprivate static func id(of data: Data) -> MessageID? {
        guard data.count == 16 else { return nil }
        func number(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return MessageID(high: number(data.prefix(8)), low: number(data.dropFirst(8)))
    }
}

/// The record of a request as an earlier host left it.
package struct StoredRequest: Hashable, Sendable {
    package var record: RequestRecord
    /// The bytes of its reply; `nil` when there is none.
    package var replySize: Int?

    /// - Throws: ``UnreadableRow`` when its key cannot be read. A record without a name or a time still says that the request was
    ///   handed on.
    init(row: Row) throws {
        let what = "the record of a request"
        let peer: String = try UnreadableRow.value(of: "peer", in: row, what)
        let data: Data = try UnreadableRow.value(of: "id", in: row, "\(what) of '\(peer)'")
        guard let id = RequestRecord.id(of: data) else {
            throw UnreadableRow("\(what) of '\(peer)' cannot be read: its id has \(data.count) bytes, not 16")
        }
        let (message, time, size): (DatabaseValue, DatabaseValue, DatabaseValue) = (
            row["message"], row["time"], row["size"]
        )
        record = RequestRecord(
            peer: peer, id: id, message: String.fromDatabaseValue(message) ?? "",
            time: Int64.fromDatabaseValue(time) ?? .max)
        replySize = Int.fromDatabaseValue(size)
    }
}
