import Foundation

/// A package to start from: the texts of its files, by path.
struct PackageTemplate {
    enum Kind {
        case app, worker, plugin
    }

    /// The files by their paths in the package's folder.
    let files: [String: String]
    /// What a user does next in the package's folder.
    let nextSteps: [String]
    /// What a user does after that, in the place of the host, to see it in a browser.
    let browserSteps: [String]

    init(kind: Kind, name: String, dependency: SceneBusPackage) {
        func filled(_ text: String) -> String {
            text.replacing("{{Name}}", with: name).replacing("{{name}}", with: name.lowercased())
                .replacing("{{requirement}}", with: dependency.requirement)
                .replacing("{{scenebus}}", with: dependency.identity)
                .replacing("{{console}}", with: "'\(dependency.consoleFolder)'")
        }
        let (texts, steps, host) =
            switch kind {
            case .app: (Self.app, Self.appSteps, ".build/debug/{{name}}-host --plugins Plugins")
            case .worker: (Self.worker, Self.workerSteps, "scenebus host --no-store")
            case .plugin: (Self.plugin, Self.pluginSteps, "scenebus host --no-store")
            }
        var files = [".gitignore": ".build/\n"]
        for (path, text) in texts { files[filled(path)] = filled(text) + "\n" }
        self.files = files
        nextSteps = steps.map(filled)
        browserSteps = [
            filled("\(host) --plugins {{console}}\(kind == .app ? "" : " &")     in the place of the host above"),
            "scenebus request consoleLink     prints an address for a browser",
        ]
    }

    /// The names of the targets, apart from the tests.
    var targets: [String] {
        let folders = files.keys.map { $0.split(separator: "/") }.filter { $0.first == "Sources" && $0.count > 2 }
        return Set(folders.map { String($0[1]) }).sorted()
    }

    /// The manifest of a package with these targets, each as it stands in the manifest, and a test target.
    static func manifest(_ targets: [String]) -> String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "{{Name}}",
            dependencies: [.package({{requirement}})],
            targets: [
        \(targets.joined(separator: "\n"))
                .testTarget(name: "{{Name}}Tests", dependencies: ["{{Name}}"]),
            ])
        """
    }

    /// Writes the files to a new folder.
    /// - Throws: `CocoaError` with `fileWriteFileExists` if there is a file or a folder of that name already.
    func write(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for (path, text) in files {
            let file = URL(fileURLWithPath: folder).appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }
}
