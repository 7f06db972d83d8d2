// Hot path: it runs for each frame. See "Hot paths" in Contributing.

import CBOR
import Glibc

/// The texts of received frames: the names that have an index, and the names and senders of the frames that were received
/// last.
///
/// Most frames have a name and a sender like one shortly before. To compare the bytes costs far less than to check them
/// and to make another text of them. There is a fixed number of places, each for one text of at most 255 bytes.
package struct FrameTexts {
    /// The names that have an index.
    package var names = NameTable()

    private var places: [FrameText]
    private static let count = 32

    package init() { places = Array(repeating: .empty, count: Self.count) }

    /// Remembers nothing.
    static var none: FrameTexts { FrameTexts(places: []) }

    private init(places: [FrameText]) { self.places = places }

    /// Returns a name.
    /// - Parameter count: how many names of the table may be referred to by their index.
    /// - Returns: `nil` if it is neither UTF-8 nor an index in the table.
    @inline(__always)
    mutating func name(of bytes: UnsafeRawBufferPointer, count: Int) -> FrameText? {
        guard bytes.count == 2, bytes[0] == NameIndex.mark else { return text(of: bytes) }
        let index = NameIndex(rawValue: bytes[1])
        return index < min(count, names.count) ? names[index] : nil
    }

    /// Returns the text of an actor.
    /// - Returns: `nil` if it is not UTF-8.
    mutating func actor(in bytes: ArraySlice<UInt8>) -> String? { bytes.withUnsafeBytes { text(of: $0)?.text } }

    /// Returns a text.
    /// - Returns: `nil` if it is not UTF-8.
    mutating func text(of bytes: UnsafeRawBufferPointer) -> FrameText? {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return .empty }
        if places.isEmpty {
            return String(validatingUTF8Bytes: bytes).map { FrameText($0) }
        }
        // Names with a common beginning or end usually differ in length.
        let index = (bytes.count &* 5 &+ Int(bytes[0]) &+ Int(bytes[bytes.count - 1]) &* 3) % Self.count
        // Both texts have `count` bytes where they are compared.
        let isKnown = places[index].text.utf8.withContiguousStorageIfAvailable {
            $0.count == bytes.count && $0.baseAddress.map { memcmp($0, start, bytes.count) } == 0
        }
        if isKnown != true {
            guard let text = String(validatingUTF8Bytes: bytes) else { return nil }
            places[index] = FrameText(text)
        }
        return places[index]
    }
}
