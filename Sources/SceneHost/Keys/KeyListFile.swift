package import Access
package import PeerLink

/// The file with the keys that a host allows.
package struct KeyListFile: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Reads the list; an empty one if there is no file.
    package func read() throws(PrivatePathError) -> KeyList {
        do throws(PrivatePathError) {
            return KeyList(try PrivateFile.read(path, maximumSize: KeyList.maximumSize, isSecret: false))
        } catch {
            guard error.code == .missing else { throw error }
            return KeyList()
        }
    }

    /// How often a change begins anew because the file was replaced meanwhile.
    private static let maximumAttempts = 10

    /// Changes the list. Other processes wait meanwhile that change it this way, too. An editor does not: what it has saved
    /// meanwhile is read and changed. A file that says the same already stays as it is.
    /// - Parameters:
    ///   - waits: whether to wait for another process that changes the list.
    ///   - change: changes the list; if it throws, the file stays as it is.
    package func edit<Result>(waits: Bool = true, _ change: (inout KeyList) throws -> Result) throws -> Result {
        try FileLock.hold("\(path).lock", waits: waits) {
            for _ in 0..<Self.maximumAttempts {
                let version = PrivateFile.Version(of: path)
                var list = try read()
                let before = list.text
                let result = try change(&list)
                if list.text == before { return result }
                if try write(list, over: version) { return result }
            }
            throw PrivatePathError(.unusable, "\(path) is being replaced all the time: try again")
        }
    }

    /// - Returns: `false` if the file is another one than before.
    private func write(_ list: KeyList, over version: PrivateFile.Version?) throws(PrivatePathError) -> Bool {
        let text = list.text
        guard text.utf8.count <= KeyList.maximumSize else {
            throw PrivatePathError(
                .unusable, "\(path) would have more than \(KeyList.maximumSize) bytes: shorten its comments")
        }
        guard PrivateFile.Version(of: path) == version else { return false }
        try PrivateFile.write(text, to: path)
        return true
    }
}
