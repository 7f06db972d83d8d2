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

    /// The identifier of the request that types a number into a field of a session's scene. The scene can tell it, too.
    static func id(ofTyped number: Int, in field: String, of session: String) -> String {
        "\(session) \(field) \(number)"
    }

    /// How often a request is sent that its receiver does once, however often it comes, and the time between.
    private static let sends = 4
    private static let pause = Duration.milliseconds(500)

    /// Sends a request until it is known whether it was done, or often enough.
    /// - Parameters:
    ///   - limit: how long each attempt may take. All of them together take less than the two minutes for which a surface may send
    ///     an action again.
    ///   - body: sends the request, each time as the same one.
    func sendUntilKnown(
        _ kind: RecordedRequest.Kind, within limit: Duration, _ body: @MainActor (_ id: String) async throws -> Void
    ) async {
        let id = Self.newID()
        let all = limit * Self.sends + Self.pause * (Self.sends - 1)
        log.write(.asked(RecordedRequest(id: id, kind: kind, deadline: UInt64(all / .nanoseconds(1)))))
        var mayHaveBeenHandled = false
        for number in 1...Self.sends {
            let outcome: RequestOutcome
            do {
                try await body(id)
                outcome = .reply
            } catch let error as MessageError {
                // A later attempt that was not handled says nothing of an earlier one.
                mayHaveBeenHandled = mayHaveBeenHandled || error.mayHaveBeenHandled
                if number < Self.sends, [.peerLost, .timeout, .draining].contains(error.code), !Task.isCancelled {
                    try? await Task.sleep(for: Self.pause)
                    log.write(.askedAgain(id: id))
                    continue
                }
                outcome = .failed(code: error.code.rawValue, mayHaveBeenHandled: mayHaveBeenHandled)
            } catch {
                outcome = RequestOutcome(error)
            }
            return log.write(.answered(id: id, outcome: outcome))
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
