import Access
import Bus
import CBOR
import Messaging
import Testing

/// Who may send which message of the protocol, name by name. The lists are written out, so that a message which the product gives a
/// wrong right is found, and so that a new one is in none of them until somebody has decided about it.
@Suite(.timeLimit(.minutes(1)))
struct WrittenRightsTests {
    /// What tells about the host and its scenes, and changes nothing.
    private static let reads: Set = [
        "hostStatus", "hostLinks", "hostSessions", "hostSession", "hostWorkers", "hostWorker", "hostPlugins",
        "hostDependency", "hostDependencies", "hostSecretFields", "hostSceneContent", "hostScenePicture",
        "hostSceneWatch", "hostSceneImage",
    ]

    /// What changes something, acts in a scene, or tells what only those who act may know.
    private static let acts: Set = [
        "hostSceneAct", "hostScenePerform", "hostSceneFill", "hostOpen", "hostOpenSession", "hostCloseSession",
        "hostRetrySession", "hostResetSession", "hostSessionState", "hostMove", "hostDrain", "hostRestart", "hostLogs",
        "hostAudit",
    ]

    private static let keys: Set = ["hostKeys", "hostAllowKey", "hostRevokeKey", "hostUnmatchedGrants"]
    private static let reports: Set = ["sceneCheckpoint", "scenePostsHandled"]

    /// What only the host sends.
    private static let commands: Set = [
        "sceneConnect", "sceneFreeze", "sceneResume", "sceneDiscard", "sceneAcceptance", "sceneOpen", "sceneContent",
        "sceneWatch", "sceneImage", "sceneAct", "sceneFill",
    ]

    /// Why a key is refused a message about a session, and about a configuration, that its grants allow.
    private func refusal(_ words: String, _ message: String) throws -> MessageError? {
        var frame = Frame(.request, name: message)
        frame.payload = try CBOREncoder().encode(["session": "a", "configuration": "Wall"])[...]
        return PeerAccess(try Keys.entry("p \(words)")).refusal(of: frame, provesSession: true) { _ in "Wall" }
    }

    @Test(arguments: [
        "viewer", "viewer session=Wall", "viewer send=* session=* user=*", "monitor", "monitor send=host*",
    ])
    func `A key that may only look is refused whatever acts`(words: String) throws {
        let refused = Self.acts.union(Self.keys).union(Self.reports).union(Self.commands).union(["hostEnroll"])
        for name in refused.sorted() {
            let error = try refusal(words, name)
            #expect(error?.code == .unauthorized && error?.message == name, "\(words): \(name)")
            #expect(error?.detail.contains("'p'") == true, "\(words): \(name)")
        }
    }

    @Test(
        arguments: [
            ("viewer", [reads, ["hostRotateKey"]]), ("viewer session=Wall", [reads, ["hostRotateKey"]]),
            ("viewer send=hostSceneFill", [reads, ["hostSceneFill", "hostRotateKey"]]),
            ("monitor", [reads, ["hostWatch", "hostRotateKey"]]),
            ("operator", [reads, acts, ["hostWatch", "hostRotateKey"]]),
            ("administrator", [reads, acts, keys, ["hostWatch", "hostRotateKey"]]),
            ("worker", [reports, ["hostRotateKey"]]), ("plugin", [["hostRotateKey"]]),
            ("invitation as=operator", [["hostEnroll"]]),
        ] as [(String, [Set<String>])])
    func `Each role may send the messages of its lists, and no other`(words: String, lists: [Set<String>]) throws {
        let allowed = Set(lists.joined())
        let sent = try ProtocolMessages.names.filter { try refusal(words, $0) == nil }
        #expect(sent.subtracting(allowed).sorted() == [])
        #expect(allowed.subtracting(sent).sorted() == [])
    }

    @Test func `Every message of the protocol is in one of the lists`() {
        let own: Set = ["hostWatch", "hostEnroll", "hostRotateKey"]
        let lists = [Self.reads, Self.acts, Self.keys, Self.reports, Self.commands, own]
        #expect(lists.joined().sorted() == ProtocolMessages.names.sorted())
    }
}
