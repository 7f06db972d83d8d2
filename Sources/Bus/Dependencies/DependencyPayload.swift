import CBOR

/// The payload of snapshot, delta and publish frames: a map of keys to values, each value carried as it is.
///
/// A removed entry is the CBOR simple value *undefined* (0xF7), which no encoded value is.
package enum DependencyPayload {
    private static let removed: [UInt8] = [0xF7]

    package static func encode(_ entries: [String: [UInt8]?]) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMapHead(count: entries.count)
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            writer.writeString(key)
            writer.writeRaw((value ?? removed)[...])
        }
        return writer.bytes
    }

    /// - Throws: `FrameError` when the payload is not a map with text keys.
    package static func decode(_ payload: ArraySlice<UInt8>) throws(FrameError) -> [String: [UInt8]?] {
        do {
            var entries: [String: [UInt8]?] = [:]
            for (key, value) in try CBORMap.entries(of: payload) {
                entries.updateValue(value.elementsEqual(removed) ? nil : Array(value), forKey: key)
            }
            return entries
        } catch {
            throw FrameError(.badPayload, "a container whose entries cannot be read: \(error)")
        }
    }
}
