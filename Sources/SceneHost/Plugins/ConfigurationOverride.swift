import CBOR
import Foundation

/// Overrides of single values in manifests' configurations: `plugin.key.key=value`, or `plugin.key.key@FILE` for a
/// file's text.
enum ConfigurationOverride {
    /// The maximum size of a file, in bytes.
    static let maximumBytes = 1 << 20

    /// Applies overrides to manifests.
    /// - Returns: the changed manifests.
    /// - Throws: ``HostError`` for an override that has another form or names an unknown plugin, or a file that cannot
    ///   be read.
    static func apply(_ texts: [String], to manifests: [PluginManifest]) throws -> [PluginManifest] {
        var manifests = manifests
        for text in texts {
            let end = text.firstIndex { $0 == "=" || $0 == "@" } ?? text.endIndex
            let path = text[..<end].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard end < text.endIndex, path.count >= 2, !path.contains(""),
                text[end] == "=" || text.index(after: end) < text.endIndex
            else {
                throw HostError(.usage, "'\(text)' is not of the form plugin.key=value or plugin.key@FILE")
            }
            guard let index = manifests.firstIndex(where: { $0.id == path[0] }) else {
                throw HostError(
                    .usage,
                    "there is no plugin '\(path[0])'; "
                        + (manifests.isEmpty
                            ? "there is none at all"
                            : "there are: \(manifests.map(\.id).joined(separator: ", "))"))
            }
            let rest = String(text[text.index(after: end)...])
            let value: CBORValue = text[end] == "=" ? CBORValue(argument: rest) : .string(try content(of: rest))
            manifests[index].configuration = setting(
                manifests[index].configuration, at: path.dropFirst(), to: value)
        }
        return manifests
    }

    /// Refuses a secret whose value is in the arguments of a process: every user of the machine can read them while it runs.
    /// - Throws: ``HostError`` for such an override. One that has another form is refused where it is applied.
    static func refuseSecret(in text: String) throws {
        guard let end = text.firstIndex(where: { $0 == "=" || $0 == "@" }), text[end] == "=" else { return }
        let path = String(text[..<end])
        let key = path.split(separator: ".").last.map(String.init) ?? ""
        let inside = CBORValue(argument: String(text[text.index(after: end)...])).secretKey
        guard SecretName.marks(key) || inside != nil else { return }
        let name = inside.map { "\(path).\($0)" } ?? path
        throw HostError(
            .usage,
            """
            '\(inside ?? key)' is a secret, and every user of this machine can read a command's arguments: write it in \
            plugin.json, or as \(name)@FILE
            if it was a real secret, change it: it may also be in the shell's history
            """)
    }

    /// Reads a file's text, without its last line break.
    private static func content(of path: String) throws -> String {
        var data = Data()
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            while data.count <= maximumBytes, let more = try file.read(upToCount: 1 << 16), !more.isEmpty {
                data += more
            }
        } catch {
            throw HostError(.usage, "cannot read the file \(path): \(String(reasonOf: error))")
        }
        guard data.count <= maximumBytes else {
            throw HostError(.usage, "the file \(path) is too long: a value has at most \(maximumBytes) bytes")
        }
        guard var text = String(validating: data, as: UTF8.self) else {
            throw HostError(.usage, "the file \(path) is not text in UTF-8")
        }
        // Swift treats "\r\n" as one character.
        if text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        return text
    }

    private static func setting(_ value: CBORValue, at path: ArraySlice<String>, to new: CBORValue) -> CBORValue {
        guard let key = path.first else { return new }
        var object = (try? value.decode(as: [String: CBORValue].self)) ?? [:]
        object[key] = setting(object[key] ?? .null, at: path.dropFirst(), to: new)
        return (try? CBORValue(encoding: object)) ?? value
    }
}
