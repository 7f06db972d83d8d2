import Bus
import CBOR
import Messaging
import OperatorKit
import SceneContent
import TestKit
import Testing

/// What a scene shows to a program that watches it, whatever the host answers.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SceneChangesTests {
    private static func layers(_ first: String, _ second: String? = nil) -> SceneLayers {
        let blocks = [("first", TextBlock(first).node)] + (second.map { [("second", TextBlock($0).node)] } ?? [])
        return SceneLayers([ContentLayer(key: "desk", title: "Desk", blocks: blocks)])
    }

    @Test("After a difference that does not fit, the whole is asked for, and shown as a picture to be drawn anew")
    func misfit() async throws {
        let (known, unknown) = (Self.layers("a"), Self.layers("a", "b"))
        let (whole, last) = (Self.layers("a", "c"), Self.layers("d", "c"))
        let misfit = whole.difference(from: unknown)
        #expect(throws: DifferenceDoesNotFit.self) { try known.applying(misfit) }

        func revision(_ number: UInt64) -> SceneRevision { SceneRevision(token: 7, number: number) }
        let updates = [
            SceneUpdate(revision: revision(1), content: known),
            SceneUpdate(revision: revision(2), difference: misfit),
            SceneUpdate(revision: revision(3), content: whole),
            SceneUpdate(revision: revision(4), difference: last.difference(from: whole)),
        ]
        let answers = try updates.map {
            try CBOREncoder().encode(SceneNews(update: $0, state: .running, problem: nil, since: 1))
        }
        let host = try FakeHost()
        defer { host.close() }
        host.isReplying = false
        var questions: [SceneRevision?] = []
        host.onFrame = { [weak host] frame in
            guard frame.name == HostMessagesList.hostSceneWatch.name, questions.count < answers.count,
                let question = try? frame.decodePayload(as: HostMessagesList.hostSceneWatch.self)
            else { return }
            var answer = Frame(.reply)
            answer.id = frame.id
            answer.payload = answers[questions.count][...]
            questions.append(question.known)
            host?.say(answer.encoded())
        }

        let program = try await RemoteHost(host.endpoint)
        defer { program.close() }
        var scenes = SceneChanges(of: "door", over: program.chain).makeAsyncIterator()
        let first = try await scenes.next()
        #expect(first?.layers == known && first?.difference == nil)
        let second = try await scenes.next()
        #expect(second?.layers == whole && second?.difference == nil)
        let third = try await scenes.next()
        #expect(third?.layers == last && third?.difference == updates[3].difference)
        #expect(questions == [nil, revision(1), nil, revision(3)])
    }
}
