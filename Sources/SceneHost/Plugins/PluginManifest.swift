import Bus
import CBOR
import Foundation

/// A plugin's manifest, which is the file `plugin.json` in its folder.
struct PluginManifest: Hashable, Sendable {
    /// The file's name in the plugin's folder.
    static let fileName = "plugin.json"

    var id: String
    var version: String
    var protocolRange: ProtocolVersionRange
    /// The executable: an absolute path, a path relative to the manifest's folder, or a name beside the host's
    /// executable or beside `scenebus`.
    var executable: String
    var handles: [String]
    var provides: [String]
    var services: [String]
    var scenes: [String]
    /// The number of processes to run. Only scene workers can have more than one.
    var instances: Int
    /// The number of scenes that each process runs at a time.
    var capacity: Int
    /// The time limits for the plugin's processes.
    var limits: PluginMachine.Limits
    /// What its processes may use at most.
    var resources: ResourceLimits
    /// The environment of its processes, besides what the host tells them.
    var environment: ChildEnvironment
    /// The configuration, which is passed to the plugin unchanged.
    var configuration: CBORValue
    /// The folder that contains the manifest.
    var folder: String

    /// Reads the manifest in a folder.
    /// - Throws: ``ManifestError`` that names the file, the key, and the allowed values.
    init(folder: String) throws {
        let path = "\(folder)/\(Self.fileName)"
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ManifestError(path: path, "it cannot be read: \(String(reasonOf: error))")
        }
        do {
            self = try PluginManifest(json: String(decoding: data, as: UTF8.self))
        } catch {
            throw ManifestError(path: path, (error as? Problem)?.reason ?? "\(error)")
        }
        self.folder = folder
        // The number of an instance makes its name longer.
        for name in [id] + instanceNames {
            do throws(BusName.Invalid) {
                _ = try BusName(name)
            } catch {
                throw ManifestError(path: path, "'id': \(error)")
            }
        }
        guard instances == 1 || !scenes.isEmpty else {
            throw ManifestError(path: path, "'instances' is for plugins with 'scenes'; '\(id)' has none")
        }
        guard protocolRange.highestCommon(with: .current) != nil else {
            throw ManifestError(
                path: path, "'\(id)' supports protocol \(protocolRange), this host \(ProtocolVersionRange.current)"
            )
        }
    }

    /// Checks that no other plugin has the same id or the name of one of its instances.
    private func checkNames(besides others: [PluginManifest]) throws {
        for other in others {
            guard let name = ([id] + instanceNames).first(where: ([other.id] + other.instanceNames).contains) else {
                continue
            }
            throw ManifestError(
                path: "\(folder)/\(Self.fileName)",
                name == id && name == other.id
                    ? "the id '\(id)' is that of \(other.folder) already"
                    : "the name '\(name)' is that of an instance or a plugin of \(other.folder) already")
        }
    }

    /// Reads the manifests of all plugins in some folders.
    /// - Returns: the manifests that can be used, and the reasons why the others cannot.
    /// - Throws: ``HostError`` when a folder cannot be read.
    static func all(in folders: [String]) throws -> (manifests: [PluginManifest], problems: [ManifestError]) {
        var manifests: [PluginManifest] = []
        var problems: [ManifestError] = []
        for folder in folders {
            let found = try all(in: folder, besides: manifests)
            manifests += found.manifests
            problems += found.problems
        }
        return (manifests, problems)
    }

    private static func all(
        in folder: String, besides others: [PluginManifest]
    ) throws -> (manifests: [PluginManifest], problems: [ManifestError]) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw HostError(.usage, "cannot read the plugin folder \(folder): \(String(reasonOf: error))")
        }
        var manifests: [PluginManifest] = []
        var problems: [ManifestError] = []
        // The folder itself may be that of a plugin.
        let folders = [folder] + names.map { "\(folder)/\($0)" }
        for folder in folders where FileManager.default.fileExists(atPath: "\(folder)/\(fileName)") {
            do {
                let manifest = try PluginManifest(folder: folder)
                try manifest.checkNames(besides: others + manifests)
                manifests.append(manifest)
            } catch let error as ManifestError {
                problems.append(error)
            }
        }
        if manifests.isEmpty, problems.isEmpty {
            problems.append(ManifestError(path: folder, "neither it nor a folder in it has a \(fileName)"))
        }
        return (manifests, problems)
    }
}

/// The reason why a manifest cannot be used.
struct ManifestError: Error, Hashable, CustomStringConvertible {
    let path: String
    let reason: String

    init(path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }

    var description: String { "\(path): \(reason)" }
}
