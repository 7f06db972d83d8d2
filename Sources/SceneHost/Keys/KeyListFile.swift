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

    /// Changes the list. Other processes wait meanwhile that change it this way, too.
    /// - Parameters:
    ///   - waits: whether to wait for another process that changes the list.
    ///   - change: changes the list; if it throws, the file stays as it is.
    package func edit<Result>(waits: Bool = true, _ change: (inout KeyList) throws -> Result) throws -> Result {
        try FileLock.hold("\(path).lock", waits: waits) {
            var list = try read()
            let result = try change(&list)
            let text = list.text
            guard text.utf8.count <= KeyList.maximumSize else {
                throw PrivatePathError(
                    .unusable, "\(path) would have more than \(KeyList.maximumSize) bytes: shorten its comments")
            }
            try PrivateFile.write(text, to: path)
            return result
        }
    }
}
