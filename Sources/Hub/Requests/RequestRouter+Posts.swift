import Bus
import Messaging

/// Posts have no replies, but a peer can ask whether they are handled.
extension RequestRouter {
    /// Waits until the posts are handled that a peer has sent before.
    ///
    /// The frames to a peer keep their order. So the peers that handle the posts are asked, and have handled them when they
    /// answer. What this process handles itself is handled already.
    /// - Parameters:
    ///   - names: the names of the posts.
    ///   - link: the id of the link over which they came.
    /// - Throws: the first error of a peer that has not answered.
    package func waitForPosts(_ names: some Sequence<String>, from link: UInt64, within limit: Duration) async throws {
        var asked: [(peer: HubLink, names: [String])] = []
        for name in names {
            var post = Frame(.post)
            post.name = name
            guard let peer = nextHandler(of: post, from: link) else { continue }
            if let index = asked.firstIndex(where: { $0.peer === peer }) {
                asked[index].names.append(name)
            } else {
                asked.append((peer, [name]))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (peer, names) in asked {
                let ask: @MainActor @Sendable () async throws -> Void = {
                    try await self.ask(peer, names, within: limit)
                }
                group.addTask(operation: ask)
            }
            var failure: (any Error)?
            while let result = await group.nextResult() {
                if case .failure(let error) = result { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    /// Asks a peer whether it has handled posts.
    private func ask(_ peer: HubLink, _ names: [String], within limit: Duration) async throws {
        do {
            let message = SceneReportMessagesList.scenePostsHandled(messages: names)
            _ = try await send(message, to: peer, timeout: limit)
        } catch let error as MessageError where error.code == .unhandled {
            // It does not know the message. But it has read the frames before it.
        }
    }
}
