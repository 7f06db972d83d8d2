import PeerLink
import Foundation
import OperatorKit

/// The SceneBus package that a new package depends on.
struct SceneBusPackage: Equatable {
    /// The argument of `.package(...)`.
    let requirement: String
    /// The name by which products refer to it, which SwiftPM takes from the end of its path.
    let identity: String
    /// The folder with the console's manifest: the absolute one, or for a URL that of SwiftPM's copy in the new package.
    let consoleFolder: String

    /// - Parameters:
    ///   - text: the folder or the URL that a user has named; `nil` for the package that this command was built from.
    ///   - folder: the folder of the new package.
    /// - Throws: ``CommandError`` if there is no SceneBus package in the folder, or none was found.
    static func find(named text: String?, from folder: String) throws -> SceneBusPackage {
        if let text, text.contains("://") {
            let name = URL(string: text)?.deletingPathExtension().lastPathComponent ?? ""
            return SceneBusPackage(
                requirement: "url: \"\(text)\", from: \"1.0.0\"", identity: name, folder: ".build/checkouts/\(name)")
        }
        if let text {
            let path = URL(fileURLWithPath: text).standardizedFileURL.path
            guard isSceneBus(path) else {
                throw CommandError(.usage, "there is no SceneBus package in '\(path)'; name its folder with --package")
            }
            return SceneBusPackage(path: path)
        }
        var place = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        while place.path != "/" {
            if isSceneBus(place.path) { return SceneBusPackage(path: place.path) }
            place.deleteLastPathComponent()
        }
        throw CommandError(
            .usage, "this scenebus is not in the folder of its package; name that folder or its URL with --package")
    }

    private init(path: String) {
        self.init(
            requirement: "path: \"\(path)\"", identity: URL(fileURLWithPath: path).lastPathComponent, folder: path)
    }

    private init(requirement: String, identity: String, folder: String) {
        self.requirement = requirement
        self.identity = identity
        consoleFolder = "\(folder)/Plugins/Console"
    }

    private static func isSceneBus(_ folder: String) -> Bool {
        let manifest = try? String(contentsOfFile: "\(folder)/Package.swift", encoding: .utf8)
        return manifest?.contains(".library(name: \"SceneWorker\"") == true
    }
}
