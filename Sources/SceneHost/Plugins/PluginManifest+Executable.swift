import Foundation

extension PluginManifest {
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
}
