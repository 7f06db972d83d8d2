import Bus
import Hub
import Messaging

/// The question of a worker whether the posts of an action are handled.
extension HostControl {
    func scenePostsHandled(messages: [String]) async throws {
        guard let context = MessageContext.current, let remote = context.remote else { return }
        let limit = ProtocolMessages.postsLimit
        try await hub.router.waitForPosts(
            messages.prefix(ProtocolMessages.maximumPosts), from: remote.link,
            within: min(context.timeout ?? limit, limit))
    }
}
