import Bus
import CBOR
import Hub
import Messaging
import TestKit
import Testing

extension CommandTests {
    /// What commands say of a request that the host does not know.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct OlderHostTests {
        let installation: Installation
        private let host: FakeHost

        /// Makes a host that knows no request but that for the plain content of a scene, and advises what an application's
        /// own host does.
        init() throws {
            installation = try Installation()
            host = try FakeHost()
            host.isReplying = false
            let content = try CBOREncoder().encode(ScreenContent(title: "Lobby", texts: ["Welcome"]))
            host.onFrame = { [weak host] frame in
                guard frame.kind == .request, let host else { return }
                let unknown = MessageError(
                    .unhandled, message: frame.name, path: ["HostControl", "HotelDelegate"],
                    detail: "if HotelDelegate handles it, pass the list of its messages to AppHost as 'handles:'")
                var answer = Frame.failure(unknown, of: frame.name)
                if frame.name == "hostSceneContent" {
                    answer = Frame(.reply)
                    answer.payload = content[...]
                }
                answer.id = frame.id
                host.say(answer.encoded())
            }
        }

        private func run(_ arguments: String...) async throws -> Outcome {
            try await installation.run(
                "\(Installation.executables)/scenebus", arguments + ["--host", host.endpoint])
        }

        @Test("A host that does not know a request of a command is said to be older, with both versions")
        func older() async throws {
            defer { host.close() }
            for (software, words) in [
                (nil, "it does not say its version, and this command is of version "),
                ("0.9.0", "it is of version 0.9.0, and this command of version \(SceneBusVersion.current)"),
                (
                    SceneBusVersion.current,
                    "both are of version \(SceneBusVersion.current), but the host was built before"
                ),
            ] {
                host.software = software
                for arguments in [["status"], ["scene", "watch", "k3m9xw2p"], ["request", "hostStatus"]] {
                    let outcome = try await installation.run(
                        "\(Installation.executables)/scenebus", arguments + ["--host", host.endpoint])
                    #expect(outcome.code == 4, "\(arguments): \(outcome.error)")
                    #expect(outcome.error.contains("'fake' does not know 'host"), "\(outcome.error)")
                    #expect(outcome.error.contains("it is older than this command: \(words)"), "\(outcome.error)")
                    #expect(!outcome.error.contains("HotelDelegate"), "\(outcome.error)")
                }
            }
        }

        @Test("An older host's scene is shown in its plain form")
        func plain() async throws {
            defer { host.close() }
            let shown = try await run("scene", "show", "k3m9xw2p")
            #expect(shown.code == 0, "\(shown.error)")
            #expect(shown.output == "Lobby\n=====\n\nWelcome\n", "\(shown.output)")
        }

        @Test("A message of the console is said to lack the console; of any other, the host says what is amiss")
        func others() async throws {
            defer { host.close() }
            let wall = try await run("request", "consoleWall", "configuration=Lobby", "name=entrance")
            #expect(wall.code == 4)
            #expect(wall.error.contains("'consoleWall': the console is not attached to this host"), "\(wall.error)")
            #expect(!wall.error.contains("HotelDelegate"), "\(wall.error)")
            let own = try await run("request", "hotelCheckIn", "guest=Mei")
            #expect(own.code == 4)
            #expect(own.error.contains("if HotelDelegate handles it, pass the list"), "\(own.error)")
        }
    }
}
