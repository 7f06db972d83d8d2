import Bus
import CBOR
import InMemoryLogging
import Logging
import Messaging
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// What peers say is bounded and escaped wherever the host logs or shows it.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostileTextTests {
        /// A text that would fill a log, forge a line of it, and act on a terminal.
        static let text =
            "no\n2026-01-01T00:00:00 error host 'default': forged\u{1B}[2J\r\u{9B}1m"
            + String(repeating: "x", count: 12 << 20)

        private func check(_ handler: InMemoryLogHandler, sourceLocation: SourceLocation = #_sourceLocation) {
            for entry in handler.entries {
                let texts = ["\(entry.message)"] + entry.metadata.values.map { "\($0)" }
                for text in texts {
                    #expect(text.utf8.count < 8 << 10, sourceLocation: sourceLocation)
                    #expect(
                        !text.unicodeScalars.contains { $0.properties.generalCategory == .control },
                        "\(entry.message)", sourceLocation: sourceLocation)
                }
            }
        }

        /// Returns a logger that logs everything into memory.
        static func logger() -> (Logger, InMemoryLogHandler) {
            var handler = InMemoryLogHandler()
            handler.logLevel = .trace
            var logger = Logger(label: "test") { [handler] _ in handler }
            logger.logLevel = .trace
            return (logger, handler)
        }

        @Test("A worker that fails a scene with a text of 12 MiB: the log and the session's problem stay short")
        func failedScene() async throws {
            let (logger, handler) = Self.logger()
            try await withHost(logger: logger) { live in
                let worker = try await live.rawWorker(named: "hostile", capacity: 1)
                let client = try await live.client()
                let opening = Task { try? await client.open() }
                let request = try await worker.next("sceneConnect")
                var failure = Frame(.failure)
                failure.id = request.id
                // Longer than this package's own encoding would be.
                let error = CBORValue.map(["type": .string("E"), "message": .string(Self.text)])
                failure.payload = try CBOREncoder().encode(CBORValue.map(["handler": error]))[...]
                try worker.send(failure.encoded())
                _ = await opening.value
                try await live.until("the failure is logged") {
                    handler.entries.contains { $0.metadata.values.contains { "\($0)".contains("forged") } }
                }
                let sessions = try await client.chain.hostSessions()
                for problem in sessions.compactMap(\.problem) {
                    #expect(problem.utf8.count < 4 << 10)
                    #expect(!problem.contains("\n") && !problem.contains("\u{1B}"))
                }
            }
            check(handler)
        }

        @Test("A hello that is refused, and entries that are not provided, are logged in one short line each")
        func refusals() async throws {
            let (logger, handler) = Self.logger()
            let short = "a\nforged\u{1B}[2J"
            try await withHost(logger: logger) { live in
                let raw = try live.raw()
                // The host refuses what it keeps for itself, and quotes the names in the reason.
                _ = try await raw.hello("plain", handles: ["hostStatus"])
                let other = try live.raw()
                _ = try await other.hello("giver", provides: ["known"])
                var entries = CBORMap()
                for index in 0..<20 { entries[short + "\(index)"] = .int(1) }
                var publish = Frame(.publish)
                publish.payload = try CBOREncoder().encode(CBORValue.map(entries))[...]
                try other.send(publish.encoded())
                try await live.until("both are logged") {
                    handler.entries.contains { $0.message == "refused a peer" }
                        && handler.entries.contains { "\($0.message)".contains("does not list under provides") }
                }
            }
            check(handler)
        }
    }
}
