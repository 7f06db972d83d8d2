import Glibc
package import Bus
package import ZeroMQ

/// The folder with the keys of this user: the one of this machine, those of the hosts that run here with the keys that they
/// allow, and the contexts, which name other hosts.
package struct KeyFolder: Sendable {
    package let path: String

    /// - Parameter path: `nil` for `SCENEBUS_KEYS`, or else `scenebus` in `XDG_CONFIG_HOME` or `~/.config`.
    /// - Throws: ``PrivatePathError`` if there is no home folder.
    package init(
        _ path: String? = nil, environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws(PrivatePathError) {
        func value(_ key: String) -> String? { environment(key).flatMap { $0.isEmpty ? nil : $0 } }
        if let path = path ?? value("SCENEBUS_KEYS") {
            self.path = path.hasPrefix("/") ? path : "\(PrivateFolder.workingFolder)/\(path)"
        } else if let configuration = value("XDG_CONFIG_HOME"), configuration.hasPrefix("/") {
            self.path = "\(configuration)/scenebus"
        } else if let home = UserAccount.home(environment: environment) {
            self.path = "\(home)/.config/scenebus"
        } else {
            throw PrivatePathError(.unusable, "there is no home folder for the keys: set HOME or SCENEBUS_KEYS")
        }
    }

    // MARK: - Files

    /// The key of this machine's peers.
    package var ownKeyFile: String { "\(path)/own.key" }
    /// The key that is about to take its place, until all hosts know it.
    package var ownNextKeyFile: String { "\(path)/own.next.key" }
    package var contextsFile: String { "\(path)/contexts" }
    /// The key of a host of this user.
    package func keyFile(of host: BusName) -> String { "\(path)/\(host).host.key" }
    /// The key that is about to take its place.
    package func nextKeyFile(of host: BusName) -> String { "\(path)/\(host).host.next.key" }
    /// The keys that a host of this user allows.
    package func listFile(of host: BusName) -> String { "\(path)/\(host).host.allowed" }

    /// Makes the folder, or checks that nobody else may change or enter it.
    package func make() throws(PrivatePathError) {
        do {
            try PrivateFolder.make(path)
        } catch {
            throw PrivatePathError(
                error.code == .unsafe ? .unsafe : .unusable,
                "the folder of the keys: \(error); fix that, or set SCENEBUS_KEYS to another")
        }
    }

    /// Checks that nobody else can replace a file of the folder, if there is one.
    func check() throws(PrivatePathError) {
        // Who never had keys may have any home folder.
        guard access(path, F_OK) == 0 else { return }
        do {
            try PrivateFolder.check(path)
        } catch {
            guard error.code != .missing else { return }
            throw PrivatePathError(
                .unsafe, "the folder of the keys: \(error); fix that, or set SCENEBUS_KEYS to another")
        }
    }

    // MARK: - Keys

    private static let label = "scenebus-secret-key"

    /// Reads a key pair.
    package func key(in file: String) throws(PrivatePathError) -> KeyPair {
        try check()
        let text = try PrivateFile.read(file, maximumSize: 4096)
        // What follows is about the key: see ``NextHostKey``.
        let words = text.prefix { !$0.isNewline }.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, words[0] == Self.label, let secret = Hexadecimal.bytes(words[1]),
            let keys = KeyPair(secret: secret)
        else {
            throw PrivatePathError(
                .unusable,
                "\(file) has no key: a line '\(Self.label)' with 64 hexadecimal digits is expected. Restore it from a "
                    + "backup, or remove it to have a new key made, which the other side must be told")
        }
        return keys
    }

    /// Reads a key pair, or makes it if there is none.
    /// - Returns: the key pair, and whether it is new.
    /// - Parameter note: a further line for a new file.
    package func keyOrNew(in file: String, note: String? = nil) throws -> (keys: KeyPair, isNew: Bool) {
        try make()
        PrivateFile.removeLeftovers(of: "key", in: path)
        do throws(PrivatePathError) {
            return (try key(in: file), false)
        } catch {
            guard error.code == .missing else { throw error }
        }
        let keys = try KeyPair()
        do throws(PrivatePathError) {
            let lines = ["\(Self.label) \(Hexadecimal.text(keys.secret))"] + (note.map { [$0] } ?? [])
            try PrivateFile.write(lines.map { $0 + "\n" }.joined(), to: file, isNew: true)
        } catch {
            // Another process may have made it meanwhile.
            if let made = try? key(in: file) { return (made, false) }
            throw error
        }
        return (keys, true)
    }

    /// Puts a key in the place of another one. At each moment there is one or the other.
    package func replaceKey(in file: String, byThatIn next: String) throws(PrivatePathError) {
        try check()
        try PrivateFile.move(next, to: file)
    }
}
