import TestKit
import Testing

@testable import SceneHost

/// The keys of a manifest for what its processes get and may use.
@Suite(.timeLimit(.minutes(5)))
struct ManifestRestrictionTests {
    private func read(_ keys: String) throws -> PluginManifest {
        let folder = try TemporaryFolder()
        try folder.write(
            #"{"id": "clock", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "clock", \#(keys)}"#,
            to: "plugin.json")
        return try PluginManifest(folder: folder.path)
    }

    private func reason(_ keys: String) throws -> String {
        try #require(throws: ManifestError.self) { try read(keys) }.reason
    }

    @Test("Limits are decoded, and are none by default")
    func limits() throws {
        let none = try read(#""capacity": 1"#)
        #expect(none.resources == ResourceLimits())
        #expect(none.environment == ChildEnvironment())
        #expect(none.resources.launchArguments == ["-", "-", "-", "-", "0"])
        let all = try read(
            #""limits": {"memoryMegabytes": 64, "openFiles": 100, "processes": 20, "cpuSeconds": 60}, "newPrivileges": true"#
        )
        #expect(all.resources.launchArguments == ["67108864", "100", "20", "60", "1"])
    }

    @Test(
        "A wrong limit is named, with what is allowed",
        arguments: [
            (#""limits": 1"#, "the key 'limits' is not an object"),
            (
                #""limits": {"memoryMegabytes": 15}"#,
                "'limits.memoryMegabytes' is not a whole number from 16 to 1048576"
            ),
            (#""limits": {"openFiles": "100"}"#, "'limits.openFiles' is not a whole number from 16 to 1048576"),
            (#""limits": {"processes": 0}"#, "'limits.processes' is not a whole number from 1 to 1048576"),
            (#""limits": {"cpuSeconds": 1.5}"#, "'limits.cpuSeconds' is not a whole number from 1 to 31536000"),
            (#""limits": {"cpuSeconds": null}"#, "'limits.cpuSeconds' is not a whole number from 1 to 31536000"),
            (#""limits": {"memory": 64}"#, "the key 'limits.memory' is not known"),
            (#""newPrivileges": 1"#, "the key 'newPrivileges' is not true or false"),
            (#""environment": "HOME""#, "the key 'environment' is not a list of strings"),
            (#""environment": [1]"#, "the key 'environment' is not a list of strings"),
        ])
    func wrong(keys: String, expected: String) throws {
        let reason = try reason(keys)
        #expect(reason.contains(expected), "\(reason)")
    }

    @Test("A wrong entry of the environment is named without its value")
    func environment() throws {
        #expect(try read(#""environment": ["A", "B_*", "C=d"]"#).environment.entries.map(\.name) == ["A", "B_", "C"])
        let reason = try reason(#""environment": ["A", "MY-TOKEN=secret"]"#)
        #expect(reason.contains("'environment' has 'MY-TOKEN', which is not NAME, NAME* or NAME=VALUE"), "\(reason)")
        #expect(!reason.contains("secret"))
    }

    @Test(
        "What the host tells a process cannot be set",
        arguments: [
            "SCENEBUS_HOST=x", "SCENEBUS_PEER", "SCENEBUS_PARENT=", "SCENEBUS_CONFIGURATION={}", "SCENEBUS_GUARD",
        ])
    func reserved(entry: String) throws {
        #expect(try reason(#""environment": ["\#(entry)"]"#).contains("which the host sets itself: remove it"))
    }
}
