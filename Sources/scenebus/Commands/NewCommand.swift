import PeerLink
import ArgumentParser
import Foundation
import OperatorKit
import SceneHost

/// Makes packages to start from.
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Makes a package to start from: an application, a worker or a plugin.",
        discussion: """
            The package builds, has a test that needs no processes, and runs on this machine's host. It depends on the
            SceneBus package that this command was built from; --package names another one.

            EXAMPLES:
              scenebus new app Wall                               a host with a message, and a worker with a scene
              scenebus new worker Clock                           a scene worker for a host that runs already
              scenebus new plugin Weather                         a plugin for a host that runs already
              scenebus new app Wall --package ../scenebus         a package in another folder
            """,
        subcommands: [App.self, Worker.self, Plugin.self])

    /// What all kinds of packages need.
    struct Options: ParsableArguments {
        @Argument(help: "The package's name, such as Wall: letters and digits, starting with a capital letter.")
        var name: String

        @Option(
            help: ArgumentHelp(
                "The folder or the URL of the SceneBus package (default: the folder of the one that made this command).",
                valueName: "folder-or-url"))
        var package: String?

        func validate() throws {
            guard let first = name.first, first.isASCII, first.isUppercase,
                name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
            else {
                throw ValidationError(
                    "the name is that of a Swift module, such as Wall: letters and digits, with a capital letter first; "
                        + "'\(name)' is not")
            }
            guard !Self.taken.contains(name) else {
                throw ValidationError("'\(name)' is a name of SceneBus or Swift itself; choose another one")
            }
        }

        /// The names with which a module, or a class of the templates, would be called as one that it uses, besides those of
        /// ``TakenTargets``.
        private static let taken: Set = [
            "App", "Scene", "WindowScene", "Navigation", "Plugin", "Forwarding", "Session", "Swift", "Testing",
            "Foundation", "Host", "Worker",
        ]

        /// Makes the package in the current folder, and says what to do next.
        @MainActor
        func make(_ kind: PackageTemplate.Kind) throws {
            let folder = "\(FileManager.default.currentDirectoryPath)/\(name)"
            let template = PackageTemplate(
                kind: kind, name: name, dependency: try SceneBusPackage.find(named: package, from: folder))
            if let target = template.targets.first(where: TakenTargets.names.contains) {
                throw CommandError(
                    .usage,
                    "the package would have a target '\(target)', as SceneBus or a package that it uses has already, and "
                        + "SwiftPM refuses two of one name; choose another name than '\(name)'")
            }
            do {
                try template.write(to: folder)
            } catch CocoaError.fileWriteFileExists {
                throw CommandError(
                    .failure, "there is a '\(name)' here already; choose another name, or another folder")
            } catch {
                throw CommandError(.failure, "'\(folder)' could not be written: \(String(reasonOf: error))")
            }
            printLine("made \(name):")
            for path in template.files.keys.sorted() { printLine("  \(name)/\(path)") }
            printLine("next:")
            for step in ["cd \(name)"] + template.nextSteps { printLine("  \(step)") }
            printLine(
                "in a browser, if SceneBus was built with its trait Console, as by deploy/run, and 'scenebus' is on the "
                    + "PATH:")
            for step in template.browserSteps { printLine("  \(step)") }
        }
    }

    struct App: LoopCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes an application: its own host, a scene worker, and a message between them.",
            discussion: "EXAMPLE:\n  scenebus new app Wall && cd Wall && swift test")
        @OptionGroup var options: Options

        func execute() async throws { try options.make(.app) }
    }

    struct Worker: LoopCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a scene worker for a host that runs already.",
            discussion: "EXAMPLE:\n  scenebus new worker Clock && cd Clock && swift test")
        @OptionGroup var options: Options

        func execute() async throws { try options.make(.worker) }
    }

    struct Plugin: LoopCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a plugin for a host that runs already, with a message and an entry.",
            discussion: "EXAMPLE:\n  scenebus new plugin Weather && cd Weather && swift test")
        @OptionGroup var options: Options

        func execute() async throws { try options.make(.plugin) }
    }
}
