import Access
import ZeroMQ

/// Keys and lines of lists that tests use.
enum Keys {
    /// A key of 32 equal bytes.
    static func key(_ byte: UInt8) -> PublicKey { PublicKey([UInt8](repeating: byte, count: 32))! }

    static func entry(_ words: String, key byte: UInt8 = 1) throws -> KeyEntry {
        let words = words.split(separator: " ")
        let line = [String(words[0]), String(words[1]), "\(key(byte))"] + words.dropFirst(2).map(String.init)
        return try KeyEntry(line: line.joined(separator: " "))
    }
}
