import CBOR

/// `plugin.key.key=value`: replaces one value of a manifest's configuration.
enum ConfigurationOverride {
    /// - Throws: ``HostError`` for a text that is not of this form, or names no plugin.
    static func apply(_ texts: [String], to manifests: [PluginManifest]) throws -> [PluginManifest] {
        var manifests = manifests
        for text in texts {
            let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let path = sides[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, path.count >= 2, !path.contains("") else {
                throw HostError(.usage, "'\(text)' is not of the form plugin.key=value")
            }
            guard let index = manifests.firstIndex(where: { $0.id == path[0] }) else {
                throw HostError(
                    .usage,
                    "there is no plugin '\(path[0])'; there are: \(manifests.map(\.id).joined(separator: ", "))")
            }
            manifests[index].configuration = setting(
                manifests[index].configuration, at: path.dropFirst(), to: CBORValue(argument: sides[1]))
        }
        return manifests
    }

    private static func setting(_ value: CBORValue, at path: ArraySlice<String>, to new: CBORValue) -> CBORValue {
        guard let key = path.first else { return new }
        var object = (try? value.decode(as: [String: CBORValue].self)) ?? [:]
        object[key] = setting(object[key] ?? .null, at: path.dropFirst(), to: new)
        return (try? CBORValue(encoding: object)) ?? value
    }
}
