import Bus
import Messaging
import PeerLink
import ZeroMQ

extension HostClient {
    /// How long an action is sent again. The host knows it for longer: see `HostConfiguration.onceWindow`.
    package static let sendTime = Duration.seconds(120)

    /// Performs an action of a scene. While the host is away, it is sent again: the host knows it by its identifier.
    /// - Parameter time: how long it is sent again. After it, the host may not know it any more, and would do it twice.
    package func perform(
        _ submission: SceneSubmission, in session: String, sendingFor time: Duration = sendTime
    ) async throws {
        let end = MonotonicInstant.now + time
        var limit = min(link.configuration.requestTimeout, time)
        while true {
            do {
                return try await chain.within(limit).identified(by: submission.id).hostScenePerform(
                    session: session, layer: submission.layer, action: submission.action,
                    fields: ActionFields(submission.fields, secrets: submission.secrets))
            } catch let error as MessageError where error.code == .timeout && !isAttached && !isClosed {
                let rest = end - .now
                guard rest > .zero else {
                    throw CommandError(
                        .unreachable,
                        "no answer came, so '\(submission.label)' may have been done: look at the scene when the host is back, "
                            + "and do it again if it was not")
                }
                limit = min(limit, rest)
            }
        }
    }
}
