import CBOR

/// The payload of snapshot, delta and publish frames: a map from keys to encoded values, which are carried unchanged.
///
/// A removed entry is the CBOR simple value *undefined* (0xF7), which is never the encoding of a value.
package enum DependencyPayload {
    /// The maximum size of the CBOR head of a text shorter than 4 GiB, in bytes.
    private static let keyHead = 5
    /// The maximum size of an entry, key and value together, in bytes. Such an entry fits into a frame of its own.
    package static let maximumEntry = Frame.maximumSize - 4096

    /// The limits of one entry's value. They leave one level and three items for the map that contains it, so that a
    /// reader with the default limits can read that map.
    private static let limits = CBORLimits(
        maximumDepth: CBORLimits.default.maximumDepth - 1, maximumItems: CBORLimits.default.maximumItems - 3)

    /// Checks that an entry can be published. An entry that no peer can read would block all changes after it.
    /// - Throws: `FrameError` that names the key and the limit.
    package static func check(_ value: [UInt8]?, key: String) throws(FrameError) {
        let size = key.utf8.count + (value?.count ?? 0)
        guard size <= maximumEntry else {
            throw FrameError(
                .tooLarge, "the entry '\(key.prefix(255))' has \(size) bytes; one may have at most \(maximumEntry)")
        }
        guard let value else { return }
        do {
            _ = try CBORRaw(value, limits: limits)
        } catch {
            throw FrameError(.badPayload, "the entry '\(key.prefix(255))' cannot be read by others: \(error)")
        }
    }

    /// Distributes entries over parts of at most `maximum` bytes and at most `count` entries. An entry that is larger gets
    /// a part of its own.
    /// - Returns: at least one part. The same entries always give the same parts, whatever the dictionary's order.
    package static func parts(
        of entries: [String: [UInt8]?], size maximum: Int, count: Int = .max
    ) -> [[String: [UInt8]?]] {
        var parts: [[String: [UInt8]?]] = []
        var part: [String: [UInt8]?] = [:]
        var size = 0
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            let entry = Self.size(of: value, key: key)
            if !part.isEmpty, size + entry > maximum || part.count == count {
                parts.append(part)
                part = [:]
                size = 0
            }
            part.updateValue(value, forKey: key)
            size += entry
        }
        return parts + [part]
    }

    /// Returns the size of entries in a payload, in bytes. It may exceed the encoded size by a few bytes.
    package static func size(of entries: DependencyEntries) -> Int {
        entries.reduce(keyHead) { $0 + size(of: $1.value?.count, key: $1.key) }
    }

    /// Returns the size of one entry in a payload, in bytes. It may exceed the encoded size by a few bytes.
    static func size(of value: [UInt8]?, key: String) -> Int { size(of: value?.count, key: key) }

    private static func size(of count: Int?, key: String) -> Int {
        key.utf8.count + (count ?? 1) + keyHead
    }

    package static func encode(_ entries: [String: [UInt8]?]) -> [UInt8] { encode(DependencyEntries(entries)) }

    package static func encode(_ entries: DependencyEntries) -> [UInt8] {
        encode(entries.encoded, count: entries.count)
    }

    /// Encodes entries in the given order. No key may appear twice.
    package static func encode(_ entries: [(key: String, value: [UInt8]?)]) -> [UInt8] {
        encode(entries.lazy.map { ($0.key, $0.value?[...] ?? [DependencyEntries.removed]) }, count: entries.count)
    }

    private static func encode(
        _ entries: some Sequence<DependencyEntries.Encoded>, count: Int
    ) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMapHead(count: count)
        for (key, value) in entries {
            writer.writeString(key)
            writer.writeRaw(value)
        }
        return writer.bytes
    }

    /// Returns whether a payload has more entries than a limit.
    ///
    /// It reads no key and no value, because a frame has room for hundreds of thousands of them, and to decode these takes
    /// a second. Whether the payload can be decoded is another question.
    package static func hasMore(than limit: Int, in payload: ArraySlice<UInt8>) -> Bool {
        (try? CBORReader.walk(payload) { reader throws(CBORError) in try reader.readMapHead() > limit }) ?? false
    }

    /// Decodes a payload and checks its values, which stay encoded.
    /// - Throws: `FrameError` when the payload is not a map with text keys, when a value is malformed, or when two keys
    ///   are canonically equivalent: one of the two entries would be lost.
    package static func decode(_ payload: ArraySlice<UInt8>) throws(FrameError) -> DependencyEntries {
        let found: [DependencyEntries.Encoded]
        do { found = try CBORMap.entries(of: payload) } catch { throw unreadable(error) }
        return try entries(found)
    }

    /// Decodes the payload of a host, which has checked the values. A malformed one is an error when it is decoded.
    /// - Throws: `FrameError` when the payload is not a map with text keys, or when two keys are canonically equivalent.
    package static func decodeFromHost(_ payload: ArraySlice<UInt8>) throws(FrameError) -> DependencyEntries {
        var list: [DependencyEntries.Encoded] = []
        try add(payload, to: &list)
        return try entries(list)
    }

    /// Decodes the payload of a host, which may be one of several parts.
    /// - Parameter list: gets the entries.
    /// - Throws: `FrameError` when the payload is not a map with text keys.
    static func add(_ payload: ArraySlice<UInt8>, to list: inout [DependencyEntries.Encoded]) throws(FrameError) {
        do { try CBORMap.addUncheckedEntries(of: payload, to: &list) } catch { throw unreadable(error) }
    }

    /// - Throws: `FrameError` when two keys are equal.
    static func entries(_ list: consuming [DependencyEntries.Encoded]) throws(FrameError) -> DependencyEntries {
        guard let entries = DependencyEntries(list) else {
            throw FrameError(.badPayload, "a container with a duplicate entry")
        }
        return entries
    }

    private static func unreadable(_ error: CBORError) -> FrameError {
        FrameError(.badPayload, "a container whose entries cannot be read: \(error)")
    }
}
