import Foundation
import TestKit
import Testing

@testable import SceneHost

/// Where a host looks for the executable of a manifest.
@Suite(.timeLimit(.minutes(5)))
struct PluginExecutableTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func manifest(of executable: String) throws -> PluginManifest {
        try folder.write(
            """
            {"id": "clock", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "\(executable)"}
            """, to: "clock/plugin.json")
        return try PluginManifest(folder: "\(path)/clock")
    }

    @discardableResult
    private func program(_ name: String, mode: Int = 0o755) throws -> String {
        let file = try folder.write("#!/bin/sh\n", to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    private func find(_ manifest: PluginManifest, on folders: String...) throws -> String {
        try manifest.executablePath(besideHost: "\(path)/host", path: folders.joined(separator: ":"))
    }

    private func reason(_ manifest: PluginManifest, on folders: String...) throws -> String {
        try #require(throws: ManifestError.self) {
            try manifest.executablePath(besideHost: "\(path)/host", path: folders.joined(separator: ":"))
        }.reason
    }

    @Test("It is searched beside the manifest, then beside the host, then beside scenebus on the PATH")
    func order() throws {
        let manifest = try manifest(of: "clock-plugin")
        try program("bin/scenebus")
        let last = try program("bin/clock-plugin")
        #expect(try find(manifest, on: "/nowhere", "\(path)/bin") == last)
        let second = try program("host/clock-plugin")
        #expect(try find(manifest, on: "\(path)/bin") == second)
        let first = try program("clock/clock-plugin")
        #expect(try find(manifest, on: "\(path)/bin") == first)
    }

    @Test("A link to scenebus leads to the folder in which it was built")
    func link() throws {
        let built = try program("build/clock-plugin")
        try program("build/scenebus")
        try FileManager.default.createDirectory(atPath: "\(path)/bin", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/bin/scenebus", withDestinationPath: "../build/scenebus")
        let found = try find(manifest(of: "clock-plugin"), on: "\(path)/bin")
        #expect(URL(fileURLWithPath: found).resolvingSymlinksInPath().path == built)
    }

    @Test("Beside other commands of the PATH nothing is searched, nor a path, nor in a relative folder")
    func notSearched() throws {
        try program("bin/clock-plugin")
        try program("tools/scenebus")
        try program("tools/run/clock-plugin")
        let name = try manifest(of: "clock-plugin")
        #expect(throws: ManifestError.self) { try find(name, on: "\(path)/bin", "\(path)/tools", "\(path)/bin") }
        #expect(throws: ManifestError.self) { try find(name, on: "", ".", "bin") }
        #expect(throws: ManifestError.self) { try find(manifest(of: "run/clock-plugin"), on: "\(path)/tools") }
    }

    @Test("A missing one is reported with all places, and with what to do when there is no scenebus")
    func missing() throws {
        let manifest = try manifest(of: "clock-plugin")
        let alone = try reason(manifest, on: "/nowhere")
        #expect(alone.contains("looked for \(path)/clock/clock-plugin and \(path)/host/clock-plugin;"), "\(alone)")
        #expect(alone.contains("put the folder of 'scenebus' on the host's PATH"), "\(alone)")
        try program("bin/scenebus")
        let beside = try reason(manifest, on: "\(path)/bin")
        #expect(beside.hasSuffix("and \(path)/bin/clock-plugin"), "\(beside)")
        try program("host/scenebus")
        #expect(try !reason(manifest, on: "/nowhere").contains("PATH"))
    }

    @Test("One without the right to execute it is not said to be missing, and a folder is none")
    func notExecutable() throws {
        let manifest = try manifest(of: "clock-plugin")
        try FileManager.default.createDirectory(atPath: "\(path)/host/clock-plugin", withIntermediateDirectories: true)
        #expect(try reason(manifest).contains("which is missing"))
        let file = try program("clock/clock-plugin", mode: 0o644)
        let reason = try reason(manifest)
        #expect(reason.contains("\(file) may not be executed"), "\(reason)")
        #expect(reason.contains("chmod +x"))
        #expect(!reason.contains("missing"))
    }

    @Test("An absolute path is used unchanged")
    func absolute() throws {
        #expect(try find(manifest(of: "/bin/sh")) == "/bin/sh")
        #expect(try reason(manifest(of: "/nowhere/clock"), on: "/bin").hasSuffix("looked for /nowhere/clock"))
    }
}
