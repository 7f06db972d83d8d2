import TestKit
import Bus
import CBOR
import Foundation
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct PluginManifestTests {
    /// Returns a complete manifest whose keys can be replaced or, with `nil`, left out.
    private func json(_ changes: [String: String?] = [:]) -> String {
        var keys: [String: String] = [
            "id": #""clock""#, "version": #""1.2.0""#, "protocol": #"{"min": 1, "max": 1}"#,
            "executable": #""clock-plugin""#, "handles": #"["clockSet"]"#, "provides": #"["time"]"#,
            "services": #"["clock"]"#, "scenes": #"["Clock"]"#, "instances": "2", "capacity": "3",
            "configuration": #"{"zone": "UTC"}"#,
        ]
        for (key, value) in changes { keys[key] = value }
        return "{" + keys.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ",\n") + "}"
    }

    private func read(_ text: String) throws -> PluginManifest {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "plugin.json")
        return try PluginManifest(folder: folder.path)
    }

    @Test("A complete manifest is decoded")
    func complete() throws {
        let manifest = try read(json())
        #expect(manifest.id == "clock")
        #expect(manifest.version == "1.2.0")
        #expect(manifest.protocolRange == ProtocolVersionRange(min: 1, max: 1))
        #expect(manifest.executable == "clock-plugin")
        #expect(manifest.handles == ["clockSet"])
        #expect(manifest.provides == ["time"])
        #expect(manifest.services == ["clock"])
        #expect(manifest.scenes == ["Clock"])
        #expect(manifest.instances == 2)
        #expect(manifest.capacity == 3)
        #expect(try manifest.configuration.decode(as: [String: String].self) == ["zone": "UTC"])
    }

    @Test("Optional keys have defaults")
    func defaults() throws {
        let manifest = try read(
            json([
                "handles": nil, "provides": nil, "services": nil, "scenes": nil, "instances": nil, "capacity": nil,
                "configuration": nil,
            ]))
        #expect(manifest.handles.isEmpty)
        #expect(manifest.provides.isEmpty)
        #expect(manifest.services.isEmpty)
        #expect(manifest.scenes.isEmpty)
        #expect(manifest.instances == 1)
        #expect(manifest.capacity == 1)
        #expect(manifest.configuration == .map([:]))
    }

    @Test("A byte order mark before the manifest is skipped")
    func byteOrderMark() throws {
        #expect(try read("\u{FEFF}" + json()).id == "clock")
    }

    @Test("A time limit may have a fraction, and 0 is no limit")
    func fractions() throws {
        let manifest = try read(json(["startSeconds": "1.5", "hangSeconds": "0"]))
        #expect(manifest.limits.start == .milliseconds(1500))
        #expect(manifest.limits.hang == nil)
        for wrong in ["-0.5", "3600.5", "1e9", "\"1\"", "null"] {
            let error = try #require(throws: ManifestError.self) { try read(json(["startSeconds": wrong])) }
            #expect(error.reason == "the key 'startSeconds' is not a number from 0 to 3600")
        }
    }

    @Test("A number that must be whole is said to be one")
    func wholeNumbers() throws {
        let error = try #require(throws: ManifestError.self) { try read(json(["instances": "1.5"])) }
        #expect(error.reason == "the key 'instances' is not a whole number from 1 to 100")
    }

    @Test("A folder that cannot be read is reported with the system's reason")
    func unreadableFolder() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let error = try #require(throws: HostError.self) { try PluginManifest.all(in: ["\(folder.path)/file"]) }
        #expect(error.description.contains("Not a directory"))
        #expect(!error.description.contains("Cocoa"))
    }

    @Test("A missing key is named", arguments: ["id", "version", "protocol", "executable"])
    func missing(key: String) throws {
        let error = try #require(throws: ManifestError.self) { try read(json([key: String?.none])) }
        #expect(error.reason.contains("'\(key)' is missing"))
        #expect(error.path.hasSuffix("/plugin.json"))
    }

    @Test("A missing key inside 'protocol' is named", arguments: ["min", "max"])
    func missingInProtocol(key: String) throws {
        let other = key == "min" ? "max" : "min"
        let error = try #require(throws: ManifestError.self) { try read(json(["protocol": "{\"\(other)\": 1}"])) }
        #expect(error.reason.contains("'protocol.\(key)' is missing"))
    }

    @Test("An unknown key is named", arguments: [("handels", "[]"), ("Id", "1")])
    func unknown(key: String, value: String) throws {
        let error = try #require(throws: ManifestError.self) { try read(json([key: value])) }
        #expect(error.reason.contains("'\(key)' is not known"))
    }

    @Test("An unknown key inside 'protocol' is named")
    func unknownInProtocol() throws {
        let error = try #require(throws: ManifestError.self) {
            try read(json(["protocol": #"{"min": 1, "max": 1, "most": 2}"#]))
        }
        #expect(error.reason.contains("'protocol.most' is not known"))
    }

    @Test(
        "A key of the wrong type is named",
        arguments: [
            ("id", "5"), ("id", #""""#), ("version", "1.0"), ("protocol", "1"), ("protocol", "[1, 1]"),
            ("protocol", #"{"min": "1", "max": 1}"#), ("protocol", #"{"min": 0, "max": 1}"#), ("executable", "true"),
            ("handles", #""clockSet""#), ("handles", "[1]"), ("provides", "{}"), ("services", "null"),
            ("scenes", #"["Clock", null]"#), ("instances", "0"), ("instances", "101"), ("instances", "1.5"),
            ("instances", #""2""#), ("instances", "99999999999999999999"), ("capacity", "-1"), ("capacity", "10001"),
            ("configuration", "[]"), ("configuration", #""zone""#),
        ])
    func mistyped(key: String, value: String) throws {
        let error = try #require(throws: ManifestError.self) { try read(json([key: value])) }
        #expect(error.reason.contains("'\(key)"))
        #expect(error.reason.contains("is not"))
    }

    @Test("Anything that is not a JSON object is refused", arguments: ["", "{", "[]", "5", "{\"id\": }", "\u{0}"])
    func notJSON(text: String) throws {
        let error = try #require(throws: ManifestError.self) { try read(text) }
        #expect(error.reason.contains("JSON"))
    }

    @Test(
        "An id that is not a name is refused with the rule",
        arguments: ["a b", "a/b", ".", "..", "host", "-v", "a=b", "a\\u0000", String(repeating: "n", count: 300)])
    func badID(id: String) throws {
        let error = try #require(throws: ManifestError.self) { try read(json(["id": "\"\(id)\""])) }
        #expect(error.reason.hasPrefix("'id': "))
        #expect(error.reason.hasSuffix(BusName.rule))
    }

    @Test("A plugin whose name is that of another's instance is left out")
    func instanceNames() throws {
        let folder = try TemporaryFolder()
        try folder.write(json(["id": #""a""#, "instances": "2"]), to: "1/plugin.json")
        try folder.write(json(["id": #""a-2""#, "instances": "1"]), to: "2/plugin.json")
        let found = try PluginManifest.all(in: [folder.path])
        #expect(found.manifests.map(\.id) == ["a"])
        #expect(found.problems.map(\.reason).first?.contains("'a-2'") == true)
    }

    @Test("An id whose instances would have names that are too long is refused")
    func longInstances() throws {
        let id = String(repeating: "n", count: 127)
        #expect(throws: Never.self) { try read(json(["id": "\"\(id)\"", "instances": "1"])) }
        #expect(throws: ManifestError.self) { try read(json(["id": "\"\(id)\"", "instances": "2"])) }
    }

    @Test("A plugin without scenes has one process")
    func instancesWithoutScenes() throws {
        let error = try #require(throws: ManifestError.self) { try read(json(["scenes": nil])) }
        #expect(error.reason.contains("'instances' is for plugins with 'scenes'"))
    }

    @Test("A plugin of another protocol version is refused with both ranges")
    func otherProtocol() throws {
        let error = try #require(throws: ManifestError.self) {
            try read(json(["protocol": #"{"min": 2, "max": 4}"#]))
        }
        #expect(error.reason.contains("versions 2 to 4"))
        #expect(error.reason.contains("\(ProtocolVersionRange.current)"))
    }

    @Test("A plugin folder's valid manifests are loaded and its invalid ones named; subfolders without one are ignored")
    func all() throws {
        let folder = try TemporaryFolder()
        try folder.write(json(), to: "a/plugin.json")
        try folder.write(json(["id": #""b""#]), to: "b/plugin.json")
        try folder.write(json(), to: "c/plugin.json")
        try folder.write("{", to: "d/plugin.json")
        try folder.write("no manifest", to: "e/readme.txt")
        let found = try PluginManifest.all(in: [folder.path])
        #expect(found.manifests.map(\.id) == ["clock", "b"])
        #expect(found.problems.map(\.path) == ["c", "d"].map { "\(folder.path)/\($0)/plugin.json" })
        #expect(found.problems.first?.reason.contains("'clock' is that of \(folder.path)/a already") == true)
    }

    @Test("The plugins of several folders are loaded, and an id that two of them have only once")
    func severalFolders() throws {
        let folder = try TemporaryFolder()
        try folder.write(json(), to: "first/a/plugin.json")
        try folder.write(json(["id": #""b""#]), to: "second/b/plugin.json")
        try folder.write(json(), to: "second/c/plugin.json")
        let found = try PluginManifest.all(in: ["\(folder.path)/first", "\(folder.path)/second"])
        #expect(found.manifests.map(\.id) == ["clock", "b"])
        #expect(found.problems.map(\.path) == ["\(folder.path)/second/c/plugin.json"])
    }

    @Test("A folder without plugins is a problem; that of one plugin is as good as one with several")
    func noPlugins() throws {
        let folder = try TemporaryFolder()
        let empty = try PluginManifest.all(in: [folder.path])
        #expect(empty.manifests.isEmpty)
        #expect(
            empty.problems.map(\.description) == ["\(folder.path): neither it nor a folder in it has a plugin.json"])
        try folder.write(json(), to: "plugin.json")
        let own = try PluginManifest.all(in: [folder.path])
        #expect(own.manifests.map(\.folder) == [folder.path])
        #expect(own.problems.isEmpty)
    }

    @Test("A folder that does not exist is a configuration error")
    func noFolder() throws {
        let error = try #require(throws: HostError.self) { try PluginManifest.all(in: ["/nowhere/plugins"]) }
        #expect(error.code == .usage)
        #expect(error.description.contains("/nowhere/plugins"))
    }
}
