package import CoordinatorKit
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

    init(row: Row) {
        self.init(peer: row["peer"], id: Self.id(of: row["id"]), message: row["message"], time: row["time"])
    }

    static func data(of id: MessageID) -> Data {
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { Data($0) }
    }

    private static func id(of data: Data) -> MessageID {
        func number(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return MessageID(high: number(data.prefix(8)), low: number(data.dropFirst(8).prefix(8)))
    }
}
