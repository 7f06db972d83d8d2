// Hot path: it runs for each frame. See "Hot paths" in Contributing.

import CBOR
import Glibc

/// The names and senders of the frames that were received last.
///
/// Most frames have a name and a sender like one shortly before. To compare the bytes costs far less than to check them
/// and to make another text of them. There is a fixed number of places, each for one text of at most 255 bytes.
package struct RecentTexts {
    private struct Place {
        var text = ""
        var isAddressed = false
    }

    private var places: [Place]
    private static let count = 32

    package init() { places = Array(repeating: Place(), count: Self.count) }

    /// Remembers nothing.
    static var none: RecentTexts { RecentTexts(places: []) }

    private init(places: [Place]) { self.places = places }

    /// Returns a text.
    /// - Returns: the text, and whether it addresses a service as the name of a message; `nil` if it is not UTF-8.
    mutating func text(of bytes: UnsafeRawBufferPointer) -> (text: String, isAddressed: Bool)? {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return ("", false) }
        if places.isEmpty { return String(validatingUTF8Bytes: bytes).map { ($0, Frame.isAddressed($0)) } }
        // Names with a common beginning or end usually differ in length.
        let index = (bytes.count &* 5 &+ Int(bytes[0]) &+ Int(bytes[bytes.count - 1]) &* 3) % Self.count
        let isKnown = places[index].text.utf8.withContiguousStorageIfAvailable {
            $0.count == bytes.count && $0.baseAddress.map { memcmp($0, start, bytes.count) } == 0
        }
        if isKnown != true {
            guard let text = String(validatingUTF8Bytes: bytes) else { return nil }
            places[index] = Place(text: text, isAddressed: Frame.isAddressed(text))
        }
        return (places[index].text, places[index].isAddressed)
    }
}
