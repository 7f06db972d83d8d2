import Testing

extension ProcessTests {
    /// The benchmark with small numbers.
    @Suite(.timeLimit(.minutes(5)))
    struct BenchTests {
        private func bench(_ arguments: String...) async throws -> Outcome {
            let installation = try Installation()
            return try await installation.run("\(Installation.executables)/scenebus", ["bench"] + arguments)
        }

        @Test("A mode over sockets shows both sides and their ratio")
        func comparison() async throws {
            let output = try await bench(
                "fanout", "--subs", "4", "--procs", "2", "--changes", "2", "--rounds", "1")
            let lines = output.output.split(separator: "\n")
            #expect(
                lines.map { $0.prefix { $0 != " " } } == ["RESULT", "FLOOR", "RATIO"], "\(output.output)\(output.error)"
            )
            #expect(output.code == 0)
        }

        @Test("A build without optimization says so")
        func notOptimized() async throws {
            let output = try await bench("chain", "--count", "10", "--rounds", "1", "--depth", "4")
            #expect(output.code == 0)
            #expect(output.output.hasPrefix("RESULT mode=chain ns_hop="))
            #if DEBUG
                #expect(output.error.contains("not optimized"))
            #endif
        }

        @Test(
            "Impossible arguments exit with 2",
            arguments: [
                ["all", "--rounds", "0"], ["all", "--json", "--markdown"], ["instructions", "--count", "10"],
            ])
        func usage(arguments: [String]) async throws {
            let installation = try Installation()
            let output = try await installation.run(
                "\(Installation.executables)/scenebus", ["bench"] + arguments)
            #expect(output.code == 2)
        }

        @Test("Counting instructions without valgrind names the missing package")
        func noValgrind() async throws {
            let installation = try Installation()
            let output = try await installation.run(
                "/usr/bin/env", ["PATH=/nowhere", "\(Installation.executables)/scenebus", "bench", "instructions"])
            #expect(output.code == 1)
            #expect(output.error.contains("valgrind"))
        }
    }
}
