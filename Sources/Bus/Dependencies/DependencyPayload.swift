import CBOR

/// The payload of snapshot, delta and publish frames: a map of keys to values, each value carried as it is.
///
/// A removed entry is the CBOR simple value *undefined* (0xF7), which no encoded value is.
package enum DependencyPayload {
    private static let removed: [UInt8] = [0xF7]
    /// The most bytes that CBOR puts before a text of less than 4 GiB.
    private static let keyHead = 5
    /// The largest entry, key and value together: it fits into a frame of its own.
    package static let maximumEntry = Frame.maximumSize - 4096

    /// What one entry's value may hold, so that a reader with the usual limits can read the map that it stands in: one level and
    /// three items are the map's.
    private static let limits = CBORLimits(
        maximumDepth: CBORLimits.default.maximumDepth - 1, maximumItems: CBORLimits.default.maximumItems - 3)

    /// Checks that an entry can be published: one that nobody can read would stop all that comes after it.
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

    /// Spreads entries over parts of at most a size; an entry that is larger has a part of its own.
    /// - Returns: at least one part. The same entries give the same parts, in whatever order the dictionary has them.
    package static func parts(of entries: [String: [UInt8]?], size maximum: Int) -> [[String: [UInt8]?]] {
        var parts: [[String: [UInt8]?]] = []
        var part: [String: [UInt8]?] = [:]
        var size = 0
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            let entry = Self.size(of: value, key: key)
            if !part.isEmpty, size + entry > maximum {
                parts.append(part)
                part = [:]
                size = 0
            }
            part.updateValue(value, forKey: key)
            size += entry
        }
        return parts + [part]
    }

    /// The bytes of entries in a payload; at most a few more than there will be.
    package static func size(of entries: [String: [UInt8]?]) -> Int {
        entries.reduce(keyHead) { $0 + size(of: $1.value, key: $1.key) }
    }

    /// The bytes of one entry; at most a few more than there will be.
    static func size(of value: [UInt8]?, key: String) -> Int {
        key.utf8.count + (value?.count ?? removed.count) + keyHead
    }

    package static func encode(_ entries: [String: [UInt8]?]) -> [UInt8] {
        encode(entries.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
    }

    /// Encodes entries in this order; no key may stand twice.
    package static func encode(_ entries: [(key: String, value: [UInt8]?)]) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMapHead(count: entries.count)
        for (key, value) in entries {
            writer.writeString(key)
            writer.writeRaw((value ?? removed)[...])
        }
        return writer.bytes
    }

    /// - Throws: `FrameError` when the payload is not a map with text keys, or two of them are equal texts in other
    ///   characters: one entry would be lost.
    package static func decode(_ payload: ArraySlice<UInt8>) throws(FrameError) -> [String: [UInt8]?] {
        var entries: [String: [UInt8]?] = [:]
        try decode(payload, into: &entries)
        return entries
    }

    /// Adds the entries of a payload to others.
    /// - Throws: `FrameError` as ``decode(_:)`` does, also when an entry is there already; some may have been added then.
    static func decode(_ payload: ArraySlice<UInt8>, into entries: inout [String: [UInt8]?]) throws(FrameError) {
        let found: [(key: String, value: ArraySlice<UInt8>)]
        do {
            found = try CBORMap.entries(of: payload)
        } catch {
            throw FrameError(.badPayload, "a container whose entries cannot be read: \(error)")
        }
        let count = entries.count + found.count
        if entries.isEmpty { entries.reserveCapacity(count) }
        for (key, value) in found {
            entries.updateValue(value.elementsEqual(removed) ? nil : Array(value), forKey: key)
        }
        guard entries.count == count else {
            throw FrameError(.badPayload, "a container with an entry that is there twice")
        }
    }
}
