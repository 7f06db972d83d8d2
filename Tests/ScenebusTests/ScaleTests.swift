import Testing

extension MachineTests {
    /// The scale benchmark with small numbers.
    @Suite(.timeLimit(.minutes(5)))
    struct ScaleTests {
        private func measure(_ arguments: [String]) async throws -> [String: Double] {
            let installation = try Installation()
            return try await installation.run(
                "\(Installation.executables)/scenebus", ["bench", "scale", "--json", "--idle", "0"] + arguments
            ).json()
        }

        @Test("Workers, sessions and entries return after the host was killed and restarted")
        func restart() async throws {
            let figures = try await measure([
                "--workers", "12", "--sessions", "30", "--entries", "20", "--changes", "3",
            ])
            #expect(figures["keys_lost"] == 0)
            #expect(figures["sessions_lost"] == 0)
            #expect(figures["scenes_too_many"] == 0)
            for key in [
                "open_ms", "sync_ms", "place_ms", "change_ms", "resync_ms", "detach_ms", "replace_ms",
                "longest_turn_ms",
                "restart_sync_ms", "restart_place_ms",
            ] {
                #expect(figures[key, default: 0] > 0, "\(key)")
            }
        }

        @Test("A changed entry's delta has the same size with many entries as with few")
        func change() async throws {
            let arguments = ["--workers", "2", "--sessions", "0", "--changes", "3", "--no-restart"]
            let few = try await measure(arguments + ["--entries", "10"])
            let many = try await measure(arguments + ["--entries", "3000"])
            #expect(few["delta_bytes", default: 0] > 76)
            #expect(many["delta_bytes"] == few["delta_bytes"])
        }

        @Test("Impossible numbers exit with 2")
        func wrong() async throws {
            for (arguments, says) in [
                (["--workers", "0"], "at least one worker"), (["--sessions", "5"], "--workers"),
                (["--workers", "5000"], "--procs 3"), (["--most", "1"], "--most"),
            ] {
                let installation = try Installation()
                let outcome = try await installation.run(
                    "\(Installation.executables)/scenebus", ["bench", "scale"] + arguments)
                #expect(outcome.code == 2)
                #expect(outcome.error.contains(says))
            }
        }
    }
}
