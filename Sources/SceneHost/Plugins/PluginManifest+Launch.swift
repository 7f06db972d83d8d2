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
    /// - Throws: ``ManifestError`` that names the places that were searched, when the executable is in none of them.
    func executablePath() throws -> String {
        let own = (ProcessArguments.all.first.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() })
            .map { $0.deletingLastPathComponent().path }
        let linked = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let places =
            executable.hasPrefix("/")
            ? [executable] : [folder, linked ?? own ?? "."].map { "\($0)/\(executable)" }
        guard let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            let file = places.first { path in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            }
            if let file {
                throw ManifestError(
                    path: "\(folder)/\(Self.fileName)",
                    "'executable' names \(executable), but \(file) may not be executed: allow it with 'chmod +x'")
            }
            throw ManifestError(
                path: "\(folder)/\(Self.fileName)",
                "'executable' names \(executable), which is missing: looked for \(places.joined(separator: " and "))")
        }
        return found
    }
}
