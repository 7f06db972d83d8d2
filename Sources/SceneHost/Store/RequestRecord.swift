package import Messaging
import Foundation
import GRDB

/// The record of a `@Once` request, written before the request is forwarded and kept with its reply.
package struct RequestRecord: Hashable, Sendable {
    static let databaseTableName = "request"

    /// The peer that sent it.
    package var peer: String
    package var id: MessageID
    /// The message's name.
    package var message: String
    /// When it was forwarded, in seconds since 1970.
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

/// The record of a request by an earlier host.
package struct StoredRequest: Hashable, Sendable {
    package var record: RequestRecord
    /// The size of its reply in bytes; `nil` when no reply is recorded.
    package var replySize: Int?

    /// - Throws: ``UnreadableRow`` when its key cannot be read. A record without a readable name or time is kept: it
    ///   still proves that the request was forwarded.
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
