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
    /// executable.
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
    var limits: ProcessLife.Limits
    /// The configuration, which is passed to the plugin unchanged.
    var configuration: CBORValue
    /// The folder that contains the manifest.
    var folder: String

    /// Reads the manifest in a folder.
    /// - Throws: ``ManifestError`` that names the file, the key, and the allowed values.
    init(folder: String) throws {
        let path = "\(folder)/\(Self.fileName)"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ManifestError(path: path, "it cannot be read")
        }
        let value: CBORValue
        do {
            value = try CBORValue(json: String(decoding: data, as: UTF8.self))
        } catch {
            throw ManifestError(path: path, "it is not JSON: \(error)")
        }
        var reader = try ManifestReader(value, path: path)
        id = try reader.text("id")
        version = try reader.text("version")
        let range = try reader.object("protocol")
        var rangeReader = try ManifestReader(range, path: path, prefix: "protocol.")
        protocolRange = ProtocolVersionRange(
            min: try rangeReader.number("min", in: 1...255), max: try rangeReader.number("max", in: 1...255))
        try rangeReader.refuseUnknown()
        executable = try reader.text("executable")
        handles = try reader.texts("handles")
        provides = try reader.texts("provides")
        services = try reader.texts("services")
        scenes = try reader.texts("scenes")
        instances = try reader.optionalNumber("instances", in: 1...100) ?? 1
        capacity = try reader.optionalNumber("capacity", in: 1...10_000) ?? 1
        limits = ProcessLife.Limits()
        limits.start = try reader.limit("startSeconds") ?? limits.start
        limits.hang = try reader.limit("hangSeconds") ?? limits.hang
        configuration = try reader.optionalObject("configuration") ?? .map([:])
        try reader.refuseUnknown()
        self.folder = folder
        guard id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }), !id.isEmpty else {
            throw ManifestError(path: path, "'id' is made of letters, digits, '-', '_' and '.'; '\(id)' is not")
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

    /// Returns the path of the executable.
    /// - Throws: ``ManifestError`` that names the places that were searched, when the executable is in none of them.
    func executablePath() throws -> String {
        let own = (CommandLine.arguments.first.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() })
            .map { $0.deletingLastPathComponent().path }
        let linked = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let places =
            executable.hasPrefix("/")
            ? [executable] : [folder, linked ?? own ?? "."].map { "\($0)/\(executable)" }
        guard let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw ManifestError(
                path: "\(folder)/\(Self.fileName)",
                "'executable' names \(executable), which is missing: looked for \(places.joined(separator: " and "))")
        }
        return found
    }

    /// Reads the manifests of all plugins in a folder.
    /// - Returns: the manifests that can be used, and the reasons why the others cannot.
    /// - Throws: ``HostError`` when the folder cannot be read.
    static func all(in folder: String) throws -> (manifests: [PluginManifest], problems: [ManifestError]) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw HostError(.usage, "cannot read the plugin folder \(folder): \(error.localizedDescription)")
        }
        var manifests: [PluginManifest] = []
        var problems: [ManifestError] = []
        for name in names where FileManager.default.fileExists(atPath: "\(folder)/\(name)/\(fileName)") {
            do {
                let manifest = try PluginManifest(folder: "\(folder)/\(name)")
                if let other = manifests.first(where: { $0.id == manifest.id }) {
                    throw ManifestError(
                        path: "\(folder)/\(name)/\(fileName)",
                        "the id '\(manifest.id)' is that of \(other.folder) already")
                }
                manifests.append(manifest)
            } catch let error as ManifestError {
                problems.append(error)
            }
        }
        if manifests.isEmpty, problems.isEmpty {
            let isPlugin = FileManager.default.fileExists(atPath: "\(folder)/\(fileName)")
            problems.append(
                ManifestError(
                    path: folder,
                    "no folder in it has a \(fileName)"
                        + (isPlugin ? ": it has one itself, so name the folder above it" : "")))
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

/// Reads the keys of a JSON object, and detects unknown keys.
private struct ManifestReader {
    private var rest: [String: CBORValue]
    private let path: String
    private let prefix: String

    init(_ value: CBORValue, path: String, prefix: String = "") throws {
        self.path = path
        self.prefix = prefix
        guard let object = try? value.decode(as: [String: CBORValue].self) else {
            throw ManifestError(
                path: path, prefix.isEmpty ? "it is not a JSON object" : "'\(prefix.dropLast())' is not an object")
        }
        rest = object
    }

    private func missing(_ key: String, _ kind: String) -> ManifestError {
        ManifestError(path: path, "the key '\(prefix)\(key)' is missing; it is \(kind)")
    }

    private func mistyped(_ key: String, _ kind: String) -> ManifestError {
        ManifestError(path: path, "the key '\(prefix)\(key)' is not \(kind)")
    }

    mutating func text(_ key: String) throws -> String {
        guard let value = rest.removeValue(forKey: key) else { throw missing(key, "a string") }
        guard let text = value.stringValue, !text.isEmpty else { throw mistyped(key, "a string") }
        return text
    }

    mutating func texts(_ key: String) throws -> [String] {
        guard let value = rest.removeValue(forKey: key) else { return [] }
        guard let items = value.arrayValue else { throw mistyped(key, "a list of strings") }
        return try items.map { item in
            guard let text = item.stringValue else { throw mistyped(key, "a list of strings") }
            return text
        }
    }

    mutating func number(_ key: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = try optionalNumber(key, in: range) else {
            throw missing(key, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func optionalNumber(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let value = rest.removeValue(forKey: key) else { return nil }
        guard let number = value.intValue, range.contains(Int(number)) else {
            throw mistyped(key, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int(number)
    }

    /// A limit in seconds.
    /// - Returns: `nil` when the key is missing; `.some(nil)` for 0, which means no limit.
    mutating func limit(_ key: String) throws -> Duration?? {
        guard let seconds = try optionalNumber(key, in: 0...3600) else { return nil }
        return .some(seconds == 0 ? nil : .seconds(seconds))
    }

    mutating func object(_ key: String) throws -> CBORValue {
        guard let value = rest.removeValue(forKey: key) else { throw missing(key, "an object") }
        return value
    }

    mutating func optionalObject(_ key: String) throws -> CBORValue? {
        guard let value = rest.removeValue(forKey: key) else { return nil }
        guard case .map = value else { throw mistyped(key, "an object") }
        return value
    }

    func refuseUnknown() throws {
        guard let key = rest.keys.sorted().first else { return }
        throw ManifestError(path: path, "the key '\(prefix)\(key)' is not known; remove it or correct its name")
    }
}
