import GRDB

/// Another program that has the store open and holds a lock on it.
struct OtherProcess {
    private let queue: DatabaseQueue

    init(store: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: store, configuration: configuration)
    }

    func lock() async throws {
        try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    }

    func unlock() async throws {
        try await queue.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    }
}
