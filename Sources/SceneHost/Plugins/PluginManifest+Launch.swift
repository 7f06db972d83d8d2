import CBOR
import CChildren
import Foundation
import PeerLink
import Subprocess

/// How a plugin's processes are named and started.
extension PluginManifest {
    /// The names of its processes on the bus, one for each instance.
    var instanceNames: [String] { instances == 1 ? [id] : (1...instances).map { "\(id)-\($0)" } }

    /// The arguments with which the host's executable sets the limits of a process and becomes its program; see `launch.c`.
    /// - Parameter path: the path of the program.
    func launchArguments(path: String) -> Arguments {
        Arguments(
            executablePathOverride: String(cString: scenebus_launch_name()),
            remainingValues: resources.launchArguments + [path]
                + (scenes.isEmpty ? [] : ["--capacity", String(capacity)]))
    }

    /// The environment of one of its processes.
    /// - Parameters:
    ///   - inherited: the host's environment.
    ///   - host: the host's address.
    ///   - name: the process's name on the bus.
    ///   - mark: the mark of the host's guard.
    func environment(from inherited: [[UInt8]], host: String, name: String, mark: String) -> Environment {
        .custom(
            environment.variables(
                from: inherited,
                own: [
                    "SCENEBUS_HOST": host,
                    "SCENEBUS_PEER": name,
                    // The process ends when its standard input does.
                    "SCENEBUS_PARENT": "stdin",
                    "SCENEBUS_CONFIGURATION": configuration.json,
                    ChildEnvironment.guardVariable: mark,
                ]))
    }

    /// Returns the path of the executable.
    /// - Parameters:
    ///   - hostFolder: the folder of the host's executable.
    ///   - path: the host's `PATH`.
    /// - Throws: ``ManifestError`` that names the places that were searched, when the executable is in none of them.
    func executablePath(
        besideHost hostFolder: String = Self.hostFolder, path: String? = ProcessInfo.processInfo.environment["PATH"]
    ) throws -> String {
        let isName = !executable.contains("/")
        let commands = isName ? Self.commandFolders(in: path ?? "", besides: hostFolder) : []
        let places =
            executable.hasPrefix("/")
            ? [executable] : ([folder, hostFolder] + commands).map { "\($0)/\(executable)" }
        if let found = places.first(where: Self.isProgram) { return found }
        let file = places.first { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }
        if let file {
            throw ManifestError(
                path: "\(self.folder)/\(Self.fileName)",
                "'executable' names \(executable), but \(file) may not be executed: allow it with 'chmod +x'")
        }
        // Beside a host of one's own, there are no plugins of SceneBus.
        let advice =
            isName && commands.isEmpty && !Self.isProgram("\(hostFolder)/scenebus")
            ? "; if it is a plugin of SceneBus, build it, and put the folder of 'scenebus' on the host's PATH" : ""
        throw ManifestError(
            path: "\(self.folder)/\(Self.fileName)",
            "'executable' names \(executable), which is missing: looked for \(places.joined(separator: " and "))"
                + advice)
    }

    /// The folder of the host's executable.
    private static var hostFolder: String {
        let linked = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let own = linked ?? ProcessArguments.all.first.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        return own.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path } ?? "."
    }

    /// The folders of the command `scenebus`, as a shell finds it: the one on the `PATH`, and the one to which a symbolic
    /// link there leads. The plugins of SceneBus are built beside it, and not beside a host of one's own.
    private static func commandFolders(in path: String, besides hostFolder: String) -> [String] {
        // A relative folder would be another one for each folder in which the host is started.
        let folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        guard let folder = folders.first(where: { isProgram("\($0)/scenebus") }) else { return [] }
        let command = URL(fileURLWithPath: "\(folder)/scenebus").resolvingSymlinksInPath()
        let built = command.deletingLastPathComponent().path
        return [folder, built].reduce(into: []) { found, next in
            if next != hostFolder, !found.contains(next) { found.append(next) }
        }
    }

    private static func isProgram(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }
}
