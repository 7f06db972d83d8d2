import Bus
import CBOR
import CoordinatorKit
import Messaging
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// Which scene opens a link that was sent to no session.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct LinkChoiceTests {
        private let link = DeepLink.url("wall://item/2")

        @Test("A large link is sent to fewer scenes at a time")
        func largeLink() {
            #expect([0, 100, 256 << 10].map(LinkChoice.scenesAtATime) == [64, 64, 64])
            #expect([8 << 20, 16 << 20, 17 << 20].map(LinkChoice.scenesAtATime) == [2, 1, 1])
        }

        @Test("The scene that shows a link's page already opens it, not an earlier one that accepts it")
        func preferred() async throws {
            try await withHost { live in
                try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                let first = try await client.open()
                let second = try await client.open(link: link)
                #expect(try await client.chain.hostOpen(link: CBORRaw(encoding: link), session: nil).session == second)
                #expect(try await client.chain.hostSceneContent(session: first).title == "home")
            }
        }

        @Test("A scene that declines is not sent the link, and the next one that accepts it is")
        func declined() async throws {
            try await withHost { live in
                let raw = try await live.rawWorker(named: "signs", capacity: 2)
                let client = try await live.client()
                let first = try await client.open(at: raw)
                let second = try await client.open(at: raw)
                let opening = Task { try await client.chain.hostOpen(link: CBORRaw(encoding: link), session: nil) }
                for _ in 0..<2 {
                    let question = try await raw.next("sceneAcceptance")
                    let answer =
                        question.session == first
                        ? SceneAcceptance(answer: "declined", reason: "it shows room 12")
                        : SceneAcceptance(answer: "accepted")
                    try raw.reply(to: question, with: try CBOREncoder().encode(answer))
                }
                let open = try await raw.next("sceneOpen")
                #expect(open.session == second)
                try raw.reply(to: open)
                #expect(try await opening.value.session == second)
            }
        }

        @Test("If every scene declines, the error has a reason and says how to open a session for the link")
        func none() async throws {
            try await withHost { live in
                let raw = try await live.rawWorker(named: "signs", capacity: 2)
                let client = try await live.client()
                let ids = [try await client.open(at: raw), try await client.open(at: raw)]
                let opening = Task { try await client.chain.hostOpen(link: CBORRaw(encoding: link), session: nil) }
                for _ in ids {
                    let answer = SceneAcceptance(answer: "declined", reason: "it shows room 12")
                    try raw.reply(to: try await raw.next("sceneAcceptance"), with: try CBOREncoder().encode(answer))
                }
                let error = try await #require(throws: RemoteError.self) { try await opening.value }
                #expect(error.code == "refused")
                let reason = "session '\(ids[0])': it shows room 12; 1 more does not accept it either; name a session"
                #expect(error.message.contains(reason), "\(error)")
                #expect(error.message.contains("sessions open --url"))
            }
        }

        @Test("A worker that does not know the question is sent the link, as the first one in the sessions' order")
        func earlier() async throws {
            try await withHost { live in
                let raw = try await live.rawWorker(named: "earlier", capacity: 2)
                let client = try await live.client()
                let first = try await client.open(at: raw)
                _ = try await client.open(at: raw)
                let opening = Task { try await client.chain.hostOpen(link: CBORRaw(encoding: link), session: nil) }
                for _ in 0..<2 {
                    let question = try await raw.next("sceneAcceptance")
                    var failure = Frame(.failure)
                    failure.id = question.id
                    let error = MessageError(.unhandled, message: "sceneAcceptance", detail: "")
                    failure.payload = try CBOREncoder().encode(FailureEncoding(error))[...]
                    try raw.send(failure.encoded())
                }
                let open = try await raw.next("sceneOpen")
                #expect(open.session == first)
                try raw.reply(to: open)
                #expect(try await opening.value.session == first)
            }
        }
    }
}
