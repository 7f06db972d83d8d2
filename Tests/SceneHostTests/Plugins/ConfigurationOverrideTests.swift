import TestKit
import CBOR
import Foundation
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct ConfigurationOverrideTests {
    private func manifest(_ id: String, configuration: String) throws -> PluginManifest {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            {"id": "\(id)", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "x",
             "configuration": \(configuration)}
            """, to: "plugin.json")
        return try PluginManifest(folder: folder.path)
    }

    /// Compares the values independently of the order of keys, at any depth.
    private static func object(_ json: String) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
    }

    @Test(
        "An override replaces the value at its path, and nothing else changes",
        arguments: [
            ("machine.interval=5", #"{"interval": 5, "alerts": {"cpu": {"warning": 0.9}}}"#),
            ("machine.alerts.cpu.warning=0.5", #"{"interval": 1, "alerts": {"cpu": {"warning": 0.5}}}"#),
            ("machine.alerts.cpu.name=hot", #"{"interval": 1, "alerts": {"cpu": {"warning": 0.9, "name": "hot"}}}"#),
            ("machine.file=/a=b", #"{"interval": 1, "alerts": {"cpu": {"warning": 0.9}}, "file": "/a=b"}"#),
            ("machine.interval.deep=true", #"{"interval": {"deep": true}, "alerts": {"cpu": {"warning": 0.9}}}"#),
            ("machine.alerts={\"disk\": [1]}", #"{"interval": 1, "alerts": {"disk": [1]}}"#),
            ("machine.interval=", #"{"interval": "", "alerts": {"cpu": {"warning": 0.9}}}"#),
        ])
    func replaces(text: String, expected: String) throws {
        let other = try manifest("other", configuration: "{}")
        let machine = try manifest("machine", configuration: #"{"interval": 1, "alerts": {"cpu": {"warning": 0.9}}}"#)
        let changed = try ConfigurationOverride.apply([text], to: [other, machine])
        #expect(changed[0] == other)
        let (found, wanted) = (try Self.object(changed[1].configuration.json), try Self.object(expected))
        #expect(found == wanted)
    }

    @Test("The last of two overrides of one value applies")
    func last() throws {
        let machine = try manifest("machine", configuration: "{}")
        let changed = try ConfigurationOverride.apply(["machine.a=1", "machine.a=2"], to: [machine])
        #expect(try changed[0].configuration.decode(as: [String: Int].self) == ["a": 2])
    }

    @Test(
        "An override in another form is refused",
        arguments: ["", "machine", "machine.a", "machine=1", "=1", ".=1", "machine..a=1", "machine.=1"])
    func malformed(text: String) throws {
        let machine = try manifest("machine", configuration: "{}")
        let error = try #require(throws: HostError.self) { try ConfigurationOverride.apply([text], to: [machine]) }
        #expect(error.code == .usage)
        #expect(error.description.contains("plugin.key=value"))
        #expect(error.description.contains("'\(text)'"))
    }

    @Test("A file's text is used verbatim, without its last line break")
    func file() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("12=3@4\r\n", to: "secret")
        let machine = try manifest("machine", configuration: "{}")
        let changed = try ConfigurationOverride.apply(["machine.a.b@\(file)"], to: [machine])
        #expect(try changed[0].configuration.decode(as: [String: [String: String]].self) == ["a": ["b": "12=3@4"]])
        for (path, reason) in [
            ("/nowhere/secret", "cannot read"), ("/dev/zero", "too long"), ("", "is not of the form"),
        ] {
            let error = try #require(throws: HostError.self) {
                try ConfigurationOverride.apply(["machine.a@\(path)"], to: [machine])
            }
            #expect(error.code == .usage)
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test("An override for an unknown plugin is refused with the list of plugins")
    func unknownPlugin() throws {
        let machine = try manifest("machine", configuration: "{}")
        let error = try #require(throws: HostError.self) {
            try ConfigurationOverride.apply(["maschine.a=1"], to: [machine])
        }
        #expect(error.code == .usage)
        #expect(error.description.contains("'maschine'"))
        #expect(error.description.contains("machine"))
    }
}
