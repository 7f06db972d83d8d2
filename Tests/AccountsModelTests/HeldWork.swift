@testable import AccountsModel

/// The work of a book, in steps that a test can hold and release.
@MainActor
final class HeldWork {
    enum Step { case verify, hash, hashed, save }

    /// The steps at which work is held.
    var held: Set<Step> = []
    /// The error that a save throws instead of saving.
    var failure: AccountsError?
    private(set) var saved: [[String]] = []
    private var waiting: [(step: Step, continuation: CheckedContinuation<Void, Never>)] = []
    private let (arrivals, arrival) = AsyncStream<Step>.makeStream()

    func work(_ file: AccountFile) -> AccountWork {
        let real = AccountWork(file: file)
        var work = real
        work.verify = { table, userName, password in
            await self.reach(.verify)
            return try await real.verify(table, userName, password)
        }
        work.hash = { userName, displayName, password, hashing in
            await self.reach(.hash)
            let record = try await real.hash(userName, displayName, password, hashing)
            await self.reach(.hashed)
            return record
        }
        work.save = { records in
            await self.reach(.save)
            if let failure = self.failure { throw failure }
            try await real.save(records)
            self.saved.append(records.map(\.userName))
        }
        return work
    }

    private func reach(_ step: Step) async {
        guard held.contains(step) else { return }
        await withCheckedContinuation { continuation in
            waiting.append((step, continuation))
            arrival.yield(step)
        }
    }

    /// Waits until the next step is held.
    func next() async -> Step? {
        var iterator = arrivals.makeAsyncIterator()
        return await iterator.next(isolation: MainActor.shared)
    }

    /// Releases all held steps, and holds no further ones.
    func release() {
        held = []
        let waiting = waiting
        self.waiting = []
        for item in waiting { item.continuation.resume() }
    }
}
