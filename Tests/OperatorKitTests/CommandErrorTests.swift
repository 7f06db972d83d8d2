import Bus
import Messaging
import OperatorKit
import PeerLink
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CommandErrorTests {
    @Test(
        "The exit code distinguishes an unreachable host from a refusal",
        arguments: [
            (MessageError(.timeout, message: "ask"), .unreachable),
            (MessageError(.peerLost, message: "ask"), .unreachable),
            (MessageError(.unhandled, message: "ask"), .refused),
            (MessageError(.unauthorized, message: "ask"), .refused),
            (MessageError(.overloaded, message: "ask"), .refused),
            (MessageError(.draining, message: "ask"), .refused),
            (MessageError(.malformed, message: "ask"), .refused),
            // The request was handled, but its handler has sent a message that nobody handles.
            (MessageError(.unhandled, message: "ask", mayHaveBeenHandled: true), .failure),
            // A request that may have been handled does not count as refused.
            (MessageError(.overloaded, message: "ask", mayHaveBeenHandled: true), .unreachable),
        ] as [(MessageError, ProcessExitCode)])
    func messageErrors(error: MessageError, code: ProcessExitCode) {
        #expect(CommandError(error).code == code)
    }

    @Test("What a scene refuses is told from what has got no answer, or none for now")
    func sceneRefusals() {
        let refused: [any Error] = [
            RemoteError(SceneCommandError.otherLayer), RemoteError(type: "Own", message: "no such guest"),
            MessageError(.unauthorized, message: "ask"), MessageError(.unhandled, message: "ask"),
        ]
        for error in refused { #expect(error.isSceneRefusal) }
        let other: [any Error] = [
            RemoteError(SceneCommandError(.suspended, "the scene is being moved")), CancellationError(),
            MessageError(.timeout, message: "ask"), MessageError(.peerLost, message: "ask"),
            MessageError(.draining, message: "ask"), MessageError(.overloaded, message: "ask"),
            CommandError(.unreachable, "no answer came"),
        ]
        for error in other { #expect(!error.isSceneRefusal) }
    }

    @Test("An error that may have been handled says so exactly once")
    func maybeHandled() {
        let overloaded = CommandError(MessageError(.overloaded, message: "ask", mayHaveBeenHandled: true))
        #expect(overloaded.message.contains("may have been done all the same"))
        let unhandled = CommandError(MessageError(.unhandled, message: "ask", mayHaveBeenHandled: true))
        #expect(unhandled.message.contains("may have been done in part"))
        #expect(!CommandError(MessageError(.unhandled, message: "ask")).message.contains("may have been"))
        let timeout = CommandError(MessageError(.timeout, message: "ask", mayHaveBeenHandled: true))
        #expect(!timeout.message.contains("may have been done all the same"))
        #expect(!CommandError(MessageError(.overloaded, message: "ask")).message.contains("may have been"))
    }

    @Test(
        "A host's or worker's error is a refusal or a failure depending on its code",
        arguments: [
            ("refused", .refused), ("staleToken", .refused), ("unknownSession", .refused),
            ("unknownConfiguration", .refused), ("unknownWorker", .refused), ("notConnected", .refused),
            ("overloaded", .refused), ("suspended", .refused), ("unreadableState", .failure), ("noWindow", .failure),
            ("of an application", .failure), (nil, .failure),
        ] as [(String?, ProcessExitCode)])
    func remoteErrors(code: String?, exit: ProcessExitCode) {
        let error = CommandError(RemoteError(type: "SceneCommandError", message: "no", code: code))
        #expect(error.code == exit)
        #expect(error.message == "no")
    }

    @Test("An error with its own exit code keeps it, and any other error is a failure")
    func others() {
        struct Known: ExitCoded {
            let exitCode = ProcessExitCode.unreachable
            let description = "away"
        }
        struct Unknown: Error, CustomStringConvertible { let description = "something" }
        #expect(CommandError(Known()).code == .unreachable)
        #expect(CommandError(Known()).message == "away")
        #expect(CommandError(CommandError(.usage, "wrong")).code == .usage)
        #expect(CommandError(Unknown()).code == .failure)
        #expect(CommandError(Unknown()).message == "something")
    }

    @Test("The exit codes have the values that scripts rely on")
    func codes() {
        #expect(ProcessExitCode.failure.rawValue == 1)
        #expect(ProcessExitCode.usage.rawValue == 2)
        #expect(ProcessExitCode.unreachable.rawValue == 3)
        #expect(ProcessExitCode.refused.rawValue == 4)
    }
}
