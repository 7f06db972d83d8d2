package import Bus
package import Foundation
package import PeerLink
package import ZeroMQ

/// The key that is about to take the place of a host's, and when. It is in a file beside the host's key: a line with the key, and
/// one with the time, such as `from 2027-01-31T18:00:00Z`.
package struct NextHostKey: Sendable {
    package let keys: KeyPair
    /// When the host begins to use it.
    package let from: Date

    private static let field = "from"

    /// Reads the file of a host; `nil` if there is none.
    package init?(of host: BusName, in folder: KeyFolder) throws(PrivatePathError) {
        let file = folder.nextKeyFile(of: host)
        let text: String
        do throws(PrivatePathError) {
            text = try PrivateFile.read(file, maximumSize: 4096)
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
        keys = try folder.key(in: file)
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 4, words[2] == Self.field, let from = try? Date(String(words[3]), strategy: .iso8601)
        else {
            throw PrivatePathError(
                .unusable,
                "\(file) does not say from when the key is used: its second line is 'from 2027-01-31T18:00:00Z'")
        }
        self.from = from
    }

    /// Makes a key and its file, if there is none.
    /// - Returns: the key, and whether it is new.
    package static func make(
        of host: BusName, in folder: KeyFolder, from time: Date
    ) throws -> (next: NextHostKey, isNew: Bool) {
        if let next = try NextHostKey(of: host, in: folder) { return (next, false) }
        let note = "\(field) \(time.formatted(.iso8601))"
        let isNew = try folder.keyOrNew(in: folder.nextKeyFile(of: host), note: note).isNew
        guard let next = try NextHostKey(of: host, in: folder) else {
            throw PrivatePathError(.missing, "\(folder.nextKeyFile(of: host)) is gone: try again")
        }
        return (next, isNew)
    }
}
