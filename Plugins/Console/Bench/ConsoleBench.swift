#if Console
    import ArgumentParser
    import Foundation
    import LabBrowser
    import Messaging
    import OperatorKit
    import PeerLink

    /// Measures the console.
    @main
    struct ConsoleBench: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "console-bench",
            abstract: "Measures the console in a browser, and beside it a page of a web server alone.",
            discussion: """
                A host, a worker and a console run as processes of their own. In headless Chromium, a script presses the \
                button of a scene's action, and waits until the page shows the changed figure: 'click_p50_ms' and \
                'click_p99_ms'. 'bare_p50_ms' and 'bare_p99_ms' are the same for a page whose web server does the rest \
                itself, without a bus; both take turns in rounds, and 'ratio' compares the medians.

                Then many pages are open, of which only the streams are real: 'page_kb' is by how much the console's memory \
                has grown for each, and 'all_p50_ms' and 'all_max_ms' are the time from an action until the last of them has \
                the change. A console has at most 10,000.

                EXAMPLES:
                  console-bench
                  console-bench --pages 10000 --json
                """)

        @Option(help: "The number of rounds; each measures both pages.") var rounds = 5
        @Option(help: "The number of clicks in a round on each page.") var count = 60
        @Option(help: "The number of idle pages.") var pages = 2000
        @Option(help: "The number of changes that all idle pages get.") var changes = 20
        @Option(help: "The number of rows of the scene's table.") var rows = 10
        @Option(help: "The number of points of the scene's chart.") var points = 60
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            guard (1...1000).contains(rounds), (1...1000).contains(count) else {
                throw ValidationError("--rounds and --count must be from 1 to 1000")
            }
            guard (1...10_000).contains(pages), (1...10_000).contains(changes) else {
                throw ValidationError("--pages and --changes must be from 1 to 10000")
            }
            guard (1...200).contains(rows), (2...3600).contains(points) else {
                throw ValidationError("a scene has from 1 to 200 --rows and from 2 to 3600 --points")
            }
        }

        static func main() {
            #if DEBUG
                StandardError.write(
                    "console-bench: this build is not optimized, so its figures say little; build with -c release")
            #endif
            runAsProcess("console-bench")
        }

        func execute() async throws {
            if let obstacle = Browser.obstacle { throw CommandError(.failure, obstacle) }
            try ProcessResources.allow(pages + 1000)
            let isInterrupted = try await untilInterrupted { show(try await measure()) }
            if isInterrupted { throw ExitCode.failure }
        }

        @MainActor
        private func measure() async throws -> BenchFigures {
            let folder = try PrivateFolder.makeTemporary("console-bench")
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var figures = BenchFigures()
            try await BenchStage.run(in: folder, rows: rows, points: points) { stage in
                let clicks = try await Clicks.measure(on: stage, in: folder, rounds: rounds, count: count)
                figures.add("click", clicks.scene, ofHundred: 99)
                figures.add("bare", clicks.bare, ofHundred: 99)
                figures["ratio"] = Sorted(clicks.scene).median / Sorted(clicks.bare).median
                let idle = try await IdlePages.open(pages, on: stage)
                figures["pages"] = Double(pages)
                figures["page_kb"] = idle.memory / 1024
                figures.add("all", try await idle.change(changes, on: stage), ofHundred: nil)
                try await idle.close()
            }
            return figures
        }

        private func show(_ figures: BenchFigures) {
            if json { printJSON(figures.object) } else { printLine(figures.line) }
        }
    }
#else
    import Glibc
    import PeerLink

    @main
    struct ConsoleBench {
        static func main() {
            StandardError.write("console-bench: built without the console; build with --traits default,Console")
            exit(1)
        }
    }
#endif
