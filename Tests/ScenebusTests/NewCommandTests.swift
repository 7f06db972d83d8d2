import Foundation
import Testing

@testable import scenebus

extension CommandTests {
    /// The packages that `scenebus new` makes. Building one takes minutes, so their modules are compiled against this
    /// package's instead.
    @Suite(.timeLimit(.minutes(5)))
    struct NewCommandTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
            try FileManager.default.createDirectory(
                atPath: "\(installation.folder)/here", withIntermediateDirectories: true)
        }

        private func make(_ arguments: String...) async throws -> Outcome {
            try await installation.run(
                "\(Installation.executables)/scenebus", ["new"] + arguments, folder: "\(installation.folder)/here")
        }

        /// Compiles the Swift files of a folder as a module.
        private func compile(_ folder: String, as module: String) async throws {
            let path = "\(installation.folder)/here/\(folder)"
            let files = try FileManager.default.contentsOfDirectory(atPath: path).map { "\(path)/\($0)" }
            let outcome = try await installation.compile(
                [
                    "-emit-module", "-warnings-as-errors", "-parse-as-library", "-module-name", module, "-o",
                    "\(installation.folder)/\(module).swiftmodule", "-I", installation.folder,
                ], files: files)
            #expect(outcome.code == 0, "\(folder): \(outcome.error)")
        }

        @Test(
            "The package's sources compile, and its manifest has a target for each folder",
            arguments: [
                ("app", ["wall-host", "wall-worker"]), ("worker", ["wall-worker"]), ("plugin", ["wall-plugin"]),
            ])
        func compiles(kind: String, executables: [String]) async throws {
            let made = try await make(kind, "Wall")
            #expect(made.code == 0, "\(made.error)")
            #expect(made.output.contains("\n  swift test\n"))
            let console = "--plugins '\(Installation.package)/Plugins/Console'"
            #expect(made.output.contains(console) && made.output.contains("\n  scenebus request consoleLink "))
            let folder = "\(installation.folder)/here/Wall"
            let sources = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/Sources")
            #expect(Set(sources) == Set(["Wall"] + executables))
            let manifest = try String(contentsOfFile: "\(folder)/Package.swift", encoding: .utf8)
            #expect(manifest.contains(".package(path: \"\(Installation.package)\")"))
            for target in sources + ["WallTests"] { #expect(manifest.contains("name: \"\(target)\"")) }
            for path in [folder, "\(folder)/Sources/Wall", "\(folder)/Tests/WallTests"] {
                for file in try FileManager.default.contentsOfDirectory(atPath: path) {
                    guard let text = try? String(contentsOfFile: "\(path)/\(file)", encoding: .utf8) else { continue }
                    #expect(!text.contains("{{"), "\(file) has a placeholder")
                }
            }
            try await compile("Wall/Sources/Wall", as: "Wall")
            for executable in executables {
                try await compile("Wall/Sources/\(executable)", as: executable.replacing("-", with: "_"))
            }
            try await compile("Wall/Tests/WallTests", as: "WallTests")
        }

        @Test("A host takes the manifest of the application's worker, and says that the worker is not built")
        func manifest() async throws {
            #expect(try await make("app", "Wall").code == 0)
            let plugins = "\(installation.folder)/here/Wall/Plugins"
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let shown = try await installation.until("plugins", "ls", "--json") {
                    try $0.json([PluginReply].self).first?.problem != nil
                }
                let worker = try #require(try shown.json([PluginReply].self).first)
                #expect(worker.id == "wall")
                #expect(worker.problem?.contains("'executable' names wall-worker, which is missing") == true)
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                #expect(!status.problems.contains { $0.contains("plugin.json: the key") }, "\(status.problems)")
            }
        }

        @Test("The files of the tutorial compile in the package from which it starts")
        func tutorial() async throws {
            #expect(try await make("app", "Board").code == 0)
            let page = "\(Installation.package)/Sources/SceneHost/SceneHost.docc/Tutorial.md"
            let files = OutsidePackageTests.files(in: try String(contentsOfFile: page, encoding: .utf8))
            #expect(files.count == 7)
            for (path, text) in files { try installation.write(text, to: "here/Board/\(path)") }
            try await compile("Board/Sources/Board", as: "Board")
            for executable in ["board_host", "board_worker"] {
                try await compile("Board/Sources/\(executable.replacing("_", with: "-"))", as: executable)
            }
            try await compile("Board/Tests/BoardTests", as: "BoardTests")
        }

        @Test("A name that is taken or is none, and a folder without the package, are refused, and nothing is written")
        func refused() async throws {
            #expect(try await make("app", "Wall").code == 0)
            let taken = try await make("plugin", "Wall")
            #expect(taken.code == 1)
            #expect(taken.error.contains("there is a 'Wall' here already"))
            for name in ["wall", "W-all", "../Wall", "", "App", "Plugin"] {
                let outcome = try await make("app", name)
                #expect(outcome.code == 2, "'\(name)'")
            }
            let elsewhere = try await make("app", "Clock", "--package", installation.folder)
            #expect(elsewhere.code == 2)
            #expect(elsewhere.error.contains("--package"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "\(installation.folder)/here") == ["Wall"])
        }

        @Test(
            "A name with which a target would be called as one of SceneBus is refused, with the name of the target",
            arguments: [
                ("app", "Bus", "'Bus'"), ("plugin", "Machine", "'machine-plugin'"), ("worker", "Logging", "'Logging'"),
            ])
        func takenTarget(kind: String, name: String, target: String) async throws {
            let outcome = try await make(kind, name)
            #expect(outcome.code == 2 && outcome.error.contains("a target \(target)"), "\(outcome.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(installation.folder)/here").isEmpty)
        }

        @Test("All targets of SceneBus, and all that it uses of other packages, are known as taken")
        func takenTargets() throws {
            let manifest = try String(contentsOfFile: "\(Installation.package)/Package.swift", encoding: .utf8)
            let named = /\.(?:target|executableTarget|macro|systemLibrary|product)\(\s*name: "([^"]+)"/
            #expect(Set(manifest.matches(of: named).map { String($0.1) }) == TakenTargets.names)
        }

        @Test("The package can be named by its URL")
        func url() async throws {
            let made = try await make("worker", "Clock", "--package", "https://example.com/team/scenebus.git")
            #expect(made.code == 0, "\(made.error)")
            #expect(made.output.contains("--plugins '.build/checkouts/scenebus/Plugins/Console'"))
            let manifest = try String(
                contentsOfFile: "\(installation.folder)/here/Clock/Package.swift", encoding: .utf8)
            #expect(manifest.contains(".package(url: \"https://example.com/team/scenebus.git\", from: \"1.0.0\")"))
            #expect(manifest.contains("package: \"scenebus\""))
        }
    }
}
