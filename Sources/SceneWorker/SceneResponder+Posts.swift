import Bus
import Logging
import Messaging
import PeerLink
import ZeroMQ

/// Lets the reply to an action show what the action's posts have changed.
extension SceneResponder {
    /// Runs an action of a session's scene.
    /// - Returns: the names of the posts to other processes that the action has sent.
    func posts(of session: String, in action: @MainActor () async throws -> Void) async rethrows -> [String] {
        if actionPosts.isEmpty {
            link.onPost = { [weak self] name, context in
                self?.actionPosts.sent(name, session: context.session, handling: context.cause?.requestID)
            }
        }
        let number = actionPosts.begin(session: session, request: MessageContext.current?.remote?.requestID)
        do {
            try await action()
        } catch {
            _ = endAction(number)
            throw error
        }
        return endAction(number)
    }

    private func endAction(_ number: ActionPosts.Number) -> [String] {
        let names = actionPosts.end(number)
        if actionPosts.isEmpty { link.onPost = nil }
        return names
    }

    /// Waits until posts are handled, and until the entries that their handlers have set are in this process.
    ///
    /// It waits only for a short while, and fails never: a peer may hang, and the screen can be shown as it is.
    /// - Parameter begun: when the host's request, which is being handled, has arrived.
    func untilHandled(_ posts: [String], of session: String, since begun: MonotonicInstant) async {
        guard !posts.isEmpty, link.isReady else { return }
        var limit = ProtocolMessages.postsLimit
        if let timeout = MessageContext.current?.timeout {
            // The reply still has to arrive in time.
            let elapsed: Duration = MonotonicInstant.now - begun
            limit = min(limit, (timeout - elapsed) / 2)
        }
        guard limit > .zero else { return }
        do {
            // Not in the name of the session: it concerns what was sent already.
            try await LinkResponder(link).chain.within(limit).scenePostsHandled(messages: posts)
        } catch {
            logger.notice(
                "the reply to an action may not show what its posts change",
                metadata: [
                    "session": "\(session)", "messages": "\(posts.joined(separator: ", "))",
                    "error": "\(String(foreign: error))",
                ])
        }
    }
}
