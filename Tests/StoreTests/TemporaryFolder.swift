import Foundation
import GRDB

/// A folder that is removed with everything in it when the test that made it ends.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter isInMemory: in a file system that is in memory, where there is one.
    init(inMemory isInMemory: Bool = false) throws {
        let memory = isInMemory && FileManager.default.isWritableFile(atPath: "/dev/shm")
        let base = memory ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory
        path = base.appending(path: "store-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var store: String { path + "/sessions.sqlite" }

    func write(_ bytes: Data) throws {
        try bytes.write(to: URL(fileURLWithPath: store))
    }

    func bytes() throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: store))
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// Gives the database another journal, as an earlier version had it.
    func setJournal(_ mode: String) throws {
        let queue = try DatabaseQueue(path: store)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
        try queue.close()
    }

    /// The first column of a query, as another program reads it.
    func values(_ sql: String) throws -> [String] {
        let queue = try DatabaseQueue(path: store)
        defer { try? queue.close() }
        return try queue.read { try String.fetchAll($0, sql: sql) }
    }

    /// Runs statements as another program would, and closes the database.
    func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        let queue = try DatabaseQueue(path: store)
        try queue.write { try $0.execute(sql: sql, arguments: arguments) }
        try queue.close()
    }
}
