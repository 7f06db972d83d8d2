import Foundation

extension Installation {
    /// Runs the compiler on files that import this package's modules, as they are built for these tests.
    ///
    /// The files are one module, which one process compiles: most of the time is that of reading what they import.
    func compile(_ arguments: [String], files: [String]) async throws -> Outcome {
        try await run(
            "swiftc",
            arguments + [
                "-whole-module-optimization", "-swift-version", "6", "-I", "\(Self.executables)/Modules",
                "-load-plugin-executable",
                "\(Self.executables)/CoordinatorMacros-tool#CoordinatorMacros",
            ] + Self.moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + files)
    }

    /// The module maps of the C modules that this package's modules import, its own and those of its dependencies.
    private static let moduleMaps: [String] = {
        let manager = FileManager.default
        let built = ((try? manager.contentsOfDirectory(atPath: executables)) ?? []).filter {
            $0.hasSuffix(".build") && !$0.hasSuffix("-tool.build")
        }
        .map { "\(executables)/\($0)/module.modulemap" }
        let build = URL(fileURLWithPath: executables).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().path
        // A dependency's C modules have their module maps among their sources.
        let dependencies = (manager.enumerator(atPath: "\(build)/checkouts")?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix("/module.modulemap") && $0.contains("/Sources/") }.map { "\(build)/checkouts/\($0)" }
        let system = ["CSodium", "CZeroMQ"].map { "\(package)/Sources/C/\($0)/module.modulemap" } + dependencies
        return (built + system).filter { manager.fileExists(atPath: $0) }
    }()
}
