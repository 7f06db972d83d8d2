import Foundation
import TestKit
import Testing

extension MachineTests {
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

        @Test(
            "A mode with a real scene worker shows both sides and their ratio, more than once in a run",
            arguments: [
                ["request", "--count", "20"], ["entry", "--changes", "2", "--coordinators", "6", "--scenes", "2"],
                ["connect", "--count", "2"],
            ])
        func scenes(arguments: [String]) async throws {
            let installation = try Installation()
            let output = try await installation.run(
                "\(Installation.executables)/scenebus", ["bench"] + arguments + ["--rounds", "2"])
            let lines = output.output.split(separator: "\n")
            #expect(
                lines.map { $0.prefix { $0 != " " } } == ["RESULT", "FLOOR", "RATIO"], "\(output.output)\(output.error)"
            )
            let figures = lines.flatMap { $0.split(separator: " ").filter { $0.contains("_us=") } }
            #expect(figures.count >= 3)
            #expect(figures.allSatisfy { $0.split(separator: "=").last.flatMap { Double($0) }.map { $0 > 0 } == true })
            #expect(output.code == 0)
        }

        @Test("All watchers of a scene are shown each change, which its worker sends once, and a change has few bytes")
        func watchers() async throws {
            let output = try await bench(
                "scene", "--count", "10", "--watchers", "20", "--clients", "4", "--changes", "3", "--rounds", "1")
            let lines = output.output.split(separator: "\n")
            try #require(lines.count == 3, "\(output.output)\(output.error)")
            let figures = Dictionary(
                lines[0].split(separator: " ").compactMap { word -> (String, Double)? in
                    let pair = word.split(separator: "=")
                    return pair.count == 2 ? Double(pair[1]).map { (String(pair[0]), $0) } : nil
                }
            ) { $1 }
            // On a busy machine, two changes may go together.
            #expect((0.1...1).contains(figures["sent"] ?? 0), "\(lines[0])")
            for change in ["meter_bytes", "cell_bytes", "point_bytes"] {
                #expect((1..<1000).contains(figures[change] ?? 0), "\(change) in \(output.output)")
            }
            // Only the times of a change have a floor.
            #expect(lines[2].split(separator: " ").count == 3)
            #expect(output.code == 0)
        }

        @Test("The frames in a message grow with the outstanding requests, and a lone frame does not wait")
        func batch() async throws {
            let output = try await bench("batch", "--count", "2000", "--rounds", "1")
            let figures = output.output.split(whereSeparator: \.isWhitespace).compactMap { word in
                word.hasPrefix("frames_at_") ? word.split(separator: "=").last.flatMap { Double($0) } : nil
            }
            try #require(figures.count == 4, "\(output.output)\(output.error)")
            #expect(figures[0] < 1.5)
            #expect(figures[3] > 10)
        }

        @Test(
            "What a fast sender and a slow receiver exchange is taken, or dropped and counted",
            arguments: ["up", "down"])
        func overload(direction: String) async throws {
            let output = try await bench(
                "overload", "--direction", direction, "--seconds", "2", "--pause", "2", "--rounds", "1")
            #expect(output.output.contains(" sent=2000.0 "), "\(output.output)\(output.error)")
            #expect(output.output.contains(" lost=0.0 "), "\(output.output)\(output.error)")
            #expect(output.code == 0)
        }

        @Test(
            "At a signal, nothing is left of the benchmark's processes and folders",
            arguments: [SIGTERM, SIGINT, SIGHUP])
        func signals(signal: Int32) async throws {
            let installation = try Installation()
            let folder = "\(installation.folder)/t"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func contents() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }
            // The children inherit the standard error, so the run ends only when all of them have exited.
            let outcome = try await installation.run(
                "env",
                ["TMPDIR=\(folder)", "\(Installation.executables)/scenebus", "bench"]
                    + ["rtt", "--count", "100000000", "--rounds", "1", "--monitored"]
            ) { bench in
                try await until("there is a folder", within: .seconds(60)) { try !contents().isEmpty }
                try bench.send(signal)
            }
            #expect(outcome.code == 128 + signal, "\(outcome.error)")
            #expect(try contents().isEmpty)
        }

        @Test("The tap is measured with a monitor and without one")
        func tap() async throws {
            let output = try await bench("tap", "--count", "1000", "--rounds", "1")
            #expect(output.output.contains(" off_msgs_s="), "\(output.output)\(output.error)")
            #expect(output.output.contains(" on_msgs_s="))
            #expect(output.code == 0)
        }

        @Test("The conformances that the runtime searches for until the first reply are listed")
        func conformances() async throws {
            let output = try await bench("conformances", "--list", "--rounds", "3")
            let lines = output.output.replacing("scenebus_bench_peer.", with: "")
                .replacing(/\(unknown context at [^)]*\)\./, with: "").split(separator: "\n")
            #expect(lines.first?.hasPrefix("RESULT mode=conformances transport=ipc searched=") == true)
            let known: Set = [
                "BenchPage: Page", "BenchSceneCoordinator: SceneCoordinating", "BenchSceneCoordinator: BenchMessages",
                "SceneWorker.SceneResponder: SceneMessages", "Swift.String: Hashable",
            ]
            #expect(known.subtracting(lines.dropFirst().map(String.init)).isEmpty, "\(output.output) \(output.error)")
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
                ["conformances", "--list", "--json"],
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
