import Foundation
import GRDB

/// A folder that is removed with everything in it when the test that made it ends.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
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

    /// Runs statements as another program would, and closes the database.
    func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        let queue = try DatabaseQueue(path: store)
        try queue.write { try $0.execute(sql: sql, arguments: arguments) }
        try queue.close()
    }
}
