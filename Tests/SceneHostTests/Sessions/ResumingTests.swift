import TestKit
import Bus
import CoordinatorKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// Workers that return with their scenes and are asked to resume them.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct ResumingTests {
        private func answer(_ request: Frame, of raw: RawPeer, with error: SceneCommandError? = nil) throws {
            guard let error else { return try raw.reply(to: request) }
            var end = Frame(.failure)
            end.id = request.id
            try raw.send(end.encoded(payload: FailureEncoding(error)))
        }

        @Test("A worker whose lease expires while it should resume its scene keeps the scene and is asked again")
        func suspended() async throws {
            try await withHost(
                configure: { $0.retry = Retry.Timing(first: .milliseconds(20), maximum: .milliseconds(40)) }
            ) { live in
                let client = try await live.client()
                let former = try await live.rawWorker(named: "wall", capacity: 1)
                let opening = Task { try await client.open() }
                let connect = try await former.next("sceneConnect")
                try answer(connect, of: former)
                let id = try await opening.value
                let returned = try await live.rawWorker(
                    named: "wall", capacity: 1, held: [HeldScene(session: id, token: connect.token)])
                let first = try await returned.next(.request)
                try #require(first.name == "sceneResume")
                try answer(first, of: returned, with: SceneCommandError(.suspended, "the lease has expired"))
                let second = try await returned.next(.request)
                try #require(second.name == "sceneResume")
                #expect(second.session == id)
                try answer(second, of: returned)
                try await live.until("the scene runs") {
                    try await client.chain.hostSession(session: id).state == .running
                }
                #expect(try await client.chain.hostSession(session: id).token == second.token)
            }
        }
    }
}
