#if Console
    import Bus
    import ConsoleMessages
    import Glibc
    import LabClock
    import Messaging
    import OperatorKit
    import PeerLink
    import Subprocess
    import SystemPackage

    /// A host, a worker with one scene, and a console, each a process of its own.
    @MainActor
    struct BenchStage {
        /// How long the processes may take to be there, in nanoseconds.
        private static let patience: UInt64 = 60_000_000_000

        /// The scene's session.
        let session: String
        /// How the addresses of the console's pages begin.
        let origin: String
        /// The console's process.
        let console: Int32
        private let client: HostClient

        /// Runs the processes for the duration of a body.
        /// - Parameters:
        ///   - folder: where they keep what they write.
        ///   - rows: the rows of the scene's table.
        ///   - points: the points of its chart.
        static func run(
            in folder: String, rows: Int, points: Int, _ body: (BenchStage) async throws -> Void
        ) async throws {
            let endpoint = HostDirectory(folder: folder + "/h").endpoint
            try await child("scenebus-bench", ["host", "--folder", folder + "/h"], isReady: { $0.hasPrefix("ready") }) {
                _ in
                try await child("scenebus-bench-peer", ["dashboard", endpoint, "\(rows)", "\(points)"]) { _ in
                    // Its errors are that connections are closed in the end.
                    let environment = [
                        "SCENEBUS_PARENT": "stdin", "SCENEBUS_LOG": "critical",
                        "SCENEBUS_CONFIGURATION": "{\"file\":\"\(folder)/logins\"}",
                    ]
                    try await child("console-plugin", ["--host", endpoint], environment) { console in
                        try await ClientOptions(host: endpoint).withHost { client in
                            try await body(try await BenchStage(client, console: console))
                        }
                    }
                }
            }
        }

        /// Runs a program of this one's folder for the duration of a body. It ends when its standard input does.
        /// - Parameter isReady: whether a line of its output says that it is ready; `nil` not to wait for one.
        private static func child(
            _ name: String, _ arguments: [String], _ environment: [String: String] = [:],
            isReady: ((String) -> Bool)? = nil, _ body: (_ pid: Int32) async throws -> Void
        ) async throws {
            let variables = environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) }
            let outcome = try await Subprocess.run(
                .path(try folder().appending(name)), arguments: Arguments(arguments),
                environment: .inherit.updating(Dictionary(uniqueKeysWithValues: variables)),
                input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { child in
                if let isReady {
                    for try await line in child.standardOutput.strings() where isReady(line) { break }
                }
                try await body(child.processIdentifier.value)
            }
            guard outcome.terminationStatus.isSuccess else {
                throw CommandError(.failure, "\(name) has failed: \(outcome.terminationStatus)")
            }
        }

        private static func folder() throws -> FilePath {
            guard let path = realpath("/proc/self/exe", nil) else {
                throw CommandError(.failure, "cannot find this program's folder in /proc")
            }
            defer { free(path) }
            return FilePath(platformString: path).removingLastComponent()
        }

        private init(_ client: HostClient, console: Int32) async throws {
            self.client = client
            self.console = console
            session = try await client.chain.hostOpenSession(
                configuration: "Bench", role: RemoteSession.defaultRole, link: nil, session: nil
            ).session
            for try await scene in SceneChanges(of: session, over: client.chain) where scene.isLive { break }
            let link = try await Self.firstLink(client)
            guard let login = link.firstRange(of: "/login") else {
                throw CommandError(.failure, "the console's link is none: \(link)")
            }
            origin = String(link[..<login.lowerBound])
        }

        /// Waits until the console gives a link.
        private static func firstLink(_ client: HostClient) async throws -> String {
            let start = MonotonicTime.nanoseconds
            while true {
                do {
                    return try await client.chain.consoleLink()
                } catch let error as RemoteError where error.code == "notReady" {
                    guard MonotonicTime.nanoseconds - start < patience else { throw error }
                } catch let error as MessageError where error.code == .unhandled {
                    guard MonotonicTime.nanoseconds - start < patience else { throw error }
                }
            }
        }

        /// Returns an address that logs one browser in.
        func link() async throws -> String { try await client.chain.consoleLink() }

        /// Changes the figure of the scene.
        func change() async throws {
            _ = try await client.chain.hostSceneAct(session: session, action: "meter", fields: [:])
        }
    }
#endif
