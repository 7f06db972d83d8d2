import ChaosHistory
import Messaging
import Glibc

/// Sends requests, and records them and their outcomes.
@MainActor
struct RequestRecorder {
    let log: ChaosLog
    /// Numbers the requests of this process.
    private static var last = 0
    /// Distinguishes this process from an earlier one with the same id.
    private static let life = UInt32.random(in: 0 ... .max)

    static func newID() -> String {
        last += 1
        return "\(getpid())-\(life)-\(last)"
    }

    /// Sends one request.
    /// - Returns: the reply; `nil` when there was none.
    func send<Reply>(
        _ kind: RecordedRequest.Kind, id: String = newID(), within limit: Duration, session: String? = nil,
        _ body: @MainActor (_ id: String) async throws -> Reply
    ) async -> Reply? {
        let nanoseconds = UInt64(limit / .nanoseconds(1))
        log.write(.asked(RecordedRequest(id: id, kind: kind, deadline: nanoseconds, session: session)))
        do {
            let reply = try await body(id)
            log.write(.answered(id: id, outcome: .reply))
            return reply
        } catch {
            log.write(.answered(id: id, outcome: RequestOutcome(error)))
            return nil
        }
    }

    /// Sends one of the requests that the ledger handles, chosen at random.
    /// - Parameter container: returns the current copy of the container.
    func sendAny(
        _ chain: ResponderChain, session: String? = nil, container: @MainActor () -> AppDependency?
    ) async {
        // Some time out before the loss of a process is detected; others are still waiting when the next process runs.
        let limit = Duration.milliseconds(Int.random(in: 500...6000))
        let chain = chain.within(limit)
        switch Int.random(in: 0..<10) {
        case 0..<3: _ = await send(.plain, within: limit, session: session) { try await chain.chaosPlain(id: $0) }
        case 3..<5:
            _ = await send(.idempotent, within: limit, session: session) { try await chain.chaosIdempotent(id: $0) }
        case 5..<7: _ = await send(.once, within: limit, session: session) { try await chain.chaosOnce(id: $0) }
        case 7:
            let id = Self.newID()
            log.write(.asked(RecordedRequest(id: id, kind: .post, deadline: 0, session: session)))
            chain.chaosPost(id: id)
        default:
            let id = Self.newID()
            guard
                let value = await send(
                    .write, id: id, within: limit, session: session, { try await chain.chaosWrite(id: $0) })
            else { return }
            log.write(
                .wrote(
                    id: id, entry: WatchedEntry.chaosLedger.rawValue, value: value, held: container()?.chaosLedger))
        }
    }
}

extension RequestOutcome {
    init(_ error: any Error) {
        switch error {
        case let error as MessageError:
            self = .failed(code: error.code.rawValue, mayHaveBeenHandled: error.mayHaveBeenHandled)
        case is CancellationError: self = .cancelled
        default: self = .threw("\(error)")
        }
    }
}
