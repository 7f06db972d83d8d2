import ArgumentParser
import OperatorKit
import ZeroMQ

/// The wait for the end of one step of a run with many processes, with a limit and a line of progress.
@MainActor
final class StepWait {
    private let limit: Duration
    private let state: @MainActor () -> String
    /// Why a process has ended too early.
    private var failure: String?
    private var waiter: (isDone: @MainActor () -> Bool, continuation: CheckedContinuation<Void, any Error>)?

    /// - Parameters:
    ///   - limit: the maximum time of one step.
    ///   - state: returns what is shown meanwhile.
    init(_ limit: Duration, state: @escaping @MainActor () -> String) {
        self.limit = limit
        self.state = state
    }

    /// Waits for a condition on the state of the processes.
    /// - Throws: ``CommandError`` when the limit of a step expires.
    func until(_ what: String, _ isDone: @escaping @MainActor () -> Bool) async throws {
        if let failure { throw CommandError(.failure, failure) }
        guard !isDone() else { return }
        let progress = Progress { [state] in "waiting until \(what): \(state())" }
        defer { progress.end() }
        let timer = LoopTimer { [weak self, limit, state] in
            self?.failed("timed out after \(limit) while waiting until \(what); \(state()). Raise --limit")
        }
        timer.set(for: .now + limit)
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter = (isDone, $0) }
        } onCancel: {
            Task { @MainActor in failed("interrupted") }
        }
    }

    /// Checks the condition, because the state has changed.
    func look() {
        guard let waiter, waiter.isDone() else { return }
        self.waiter = nil
        waiter.continuation.resume()
    }

    /// Ends this wait and all later ones.
    func failed(_ reason: String) {
        failure = reason
        waiter?.continuation.resume(throwing: CommandError(.failure, reason))
        waiter = nil
    }
}
