import Bus
import Messaging
import TestKit
import Testing

@testable import SceneWorker

/// Which posts are noted while actions are handled.
@Suite(.timeLimit(.minutes(5)))
struct ActionPostsTests {
    private var posts = ActionPosts()

    @Test mutating func `The posts of an action's session are noted, each name once`() {
        let action = posts.begin(session: "s", request: 1)
        for name in ["a", "b", "a"] { posts.sent(name, session: "s", handling: nil) }
        posts.sent("other", session: "t", handling: nil)
        posts.sent("nobody's", session: nil, handling: nil)
        #expect(posts.end(action) == ["a", "b"])
        #expect(posts.isEmpty)
    }

    @Test mutating func `A post without a session belongs to the action that was handled when it was sent`() {
        let (one, two) = (posts.begin(session: "s", request: 1), posts.begin(session: "t", request: 2))
        posts.sent("a", session: nil, handling: 2)
        #expect(posts.end(one) == [])
        #expect(!posts.isEmpty)
        #expect(posts.end(two) == ["a"])
    }

    @Test mutating func `A checkpoint is not noted, and neither is what comes after the action`() {
        let action = posts.begin(session: "s", request: 1)
        posts.sent(SceneReportMessagesList.sceneCheckpoint.name, session: "s", handling: 1)
        #expect(posts.end(action) == [])
        posts.sent("late", session: "s", handling: 1)
        #expect(posts.isEmpty)
        #expect(posts.end(action) == [])
    }

    @Test mutating func `The number of names is bounded`() {
        let action = posts.begin(session: "s", request: 1)
        for number in 0..<1000 { posts.sent("post\(number)", session: "s", handling: 1) }
        #expect(posts.end(action).count == ProtocolMessages.maximumPosts)
    }
}

extension SceneResponderTests {
    /// What a worker asks the host before it replies to an action.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct PostTests {
        private let question = SceneReportMessagesList.scenePostsHandled.name

        @Test("An action that posts nothing asks the host nothing")
        func none() async throws {
            try await withWorker { running in
                try await running.connect()
                #expect(try await running.act("count") == ["1", ""])
                #expect(try await running.act("keep", ["text": "hello"]) == ["1", "hello"])
                #expect(!running.host.requestNames.contains(question))
            }
        }

        @Test("An action that posts asks the host once, behind its posts and before its reply")
        func once() async throws {
            try await withWorker { running in
                try await running.connect()
                var isReplied = false
                running.host.onFrame = { frame in
                    if frame.name == question { isReplied = running.host.replies.count > 1 }
                }
                #expect(try await running.act("post") == ["0", ""])
                let names = running.host.messageNames
                #expect(names.filter { $0 == question }.count == 1)
                let asked = try #require(names.firstIndex(of: question))
                #expect(Array(names[..<asked].suffix(3)) == ["boardNote", "boardNote", "boardRing"])
                #expect(!isReplied)
                let request = try #require(running.host.lastRequest)
                #expect(
                    try request.decodePayload(as: SceneReportMessagesList.scenePostsHandled.self).messages
                        == ["boardNote", "boardRing"])
            }
        }

        @Test("An action is replied to although the host refuses to say whether its posts are handled, or says nothing")
        func noAnswer() async throws {
            try await withWorker { running in
                try await running.connect()
                running.host.failure = MessageError(.unhandled, message: question)
                #expect(try await running.act("post") == ["0", ""])
                running.host.isReplying = false
                #expect(try await running.act("post") == ["0", ""])
                #expect(running.host.requestNames.filter { $0 == question }.count == 2)
                #expect(try await running.act("count") == ["1", ""])
            }
        }
    }
}
