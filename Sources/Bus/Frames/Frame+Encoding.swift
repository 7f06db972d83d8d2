// Hot path: it runs for each request. See "Hot paths" in Contributing.

package import CBOR
package import Messaging

/// Frames as bytes.
extension Frame {
    /// Returns the encoded frame.
    /// - Parameter names: how many names of the table the receiver knows. The frame then has the index of its name if it is
    ///   one of them.
    package func encoded(names: Int = 0) -> [UInt8] {
        encoded(payloadCapacity: payload.count, names: names) { $0.writeRaw(payload) }
    }

    /// Returns the encoded frame with a value as its payload, which is encoded in place.
    package func encoded(payload value: some CBORItem) throws -> [UInt8] { try encoded(payload: value, names: 0) }

    /// Returns the encoded frame with a value as its payload, which is encoded in place.
    /// - Parameter names: how many names of the table the receiver knows.
    // No default value: with one, the compiler would prefer the function below, for values that are only `Codable`.
    package func encoded(payload value: some CBORItem, names: Int) throws -> [UInt8] {
        do {
            return try encoded(payloadCapacity: Self.usualPayload, names: names) { try value.writeItem(to: &$0) }
        } catch {
            return try encodedThroughCodable(value, names: names)
        }
    }

    /// Returns the encoded frame with the reply to a request as its payload.
    /// - Parameter names: how many names of the table the receiver knows.
    package func encoded<M: ResponderRequest>(reply: M.Reply, to message: M.Type, names: Int) throws -> [UInt8] {
        do {
            return try encoded(payloadCapacity: Self.usualPayload, names: names) { try M.writeReply(reply, to: &$0) }
        } catch {
            return try encodedThroughCodable(reply, names: names)
        }
    }

    /// Returns the encoded frame with a value that is only `Codable` as its payload.
    package func encoded(payload value: some Encodable) throws -> [UInt8] {
        try encodedThroughCodable(value)
    }

    private func encodedThroughCodable(_ value: some Encodable, names: Int = 0) throws -> [UInt8] {
        var bytes = encoded(payloadCapacity: Self.usualPayload, names: names) { _ in }
        try CBOREncoder().encodeThroughCodable(value, into: &bytes)
        Self.writeLength(of: &bytes)
        return bytes
    }

    /// The memory that is reserved for a payload whose size is not known yet, in bytes. Most payloads fit.
    private static let usualPayload = 400

    private func encoded(
        payloadCapacity: Int, names: Int, writePayload: (inout CBORWriter) throws -> Void
    ) rethrows -> [UInt8] {
        // An index has two bytes, and may stand for a name of one.
        let nameSize = max(2, min(storedName.utf8.count, 255))
        let texts = nameSize + min(session.utf8.count, 255) + min(sender.utf8.count, 255)
        let actorSize = actor.isEmpty ? 0 : 1 + min(actor.utf8.count, 255)
        let size = Self.headerSize + texts + (messageID == nil ? 0 : Self.messageIDSize) + actorSize
        var bytes = try CBORWriter.makeArray(
            capacity: size + payloadCapacity, startingWith: { writeHead(to: $0, names: names) }, writePayload)
        Self.writeLength(of: &bytes)
        return bytes
    }

    /// Writes what precedes the payload.
    /// - Parameter raw: room for the header.
    /// - Returns: the number of bytes.
    @inline(__always)
    private func writeHead(to raw: UnsafeMutableRawBufferPointer, names: Int) -> Int {
        raw[0] = Self.magic
        raw[1] = Self.version
        raw[2] = kind.rawValue
        raw[3] = flags.subtracting(.hasActor).rawValue
        raw.store(id, at: Self.idOffset)
        raw.store(parent, at: 16)
        raw.store(deadline, at: Self.deadlineOffset)
        raw.store(token, at: Self.tokenOffset)
        raw.store(revision, at: Self.revisionOffset)
        raw.store(trace.traceHigh, at: 48)
        raw.store(trace.traceLow, at: 56)
        raw.store(trace.span, at: 64)
        var offset = Self.headerSize
        if nameIndex < names {
            raw[72] = 2
            raw[offset] = NameIndex.mark
            raw[offset + 1] = nameIndex.rawValue
            offset += 2
        } else {
            raw[72] = raw.copy(storedName, to: &offset)
        }
        raw[73] = raw.copy(session, to: &offset)
        raw[74] = raw.copy(sender, to: &offset)
        raw[75] = UInt8(messageID == nil ? 0 : Self.messageIDSize)
        if let messageID {
            raw.store(messageID.high, at: offset)
            raw.store(messageID.low, at: offset + 8)
            offset += Self.messageIDSize
        }
        if !actor.isEmpty {
            raw[3] |= Flags.hasActor.rawValue
            let place = offset
            offset += 1
            raw[place] = raw.copy(actor, to: &offset)
        }
        return offset
    }

    private static func writeLength(of bytes: inout [UInt8]) {
        let length = UInt32(bytes.count)
        bytes.withUnsafeMutableBytes { $0.store(length, at: lengthOffset) }
    }

    /// Replaces the index of the name in an encoded frame, if it has one. Only the link for which the frame was encoded
    /// knows the index.
    package static func spellOut(_ name: String, in bytes: inout [UInt8]) {
        guard hasNameIndex(bytes[...]) else { return }
        let place = headerSize..<headerSize + 2
        let whole = Array(bounded(name).utf8)
        bytes.replaceSubrange(place, with: whole)
        bytes[72] = UInt8(whole.count)
        writeLength(of: &bytes)
    }

    /// Writes the id and the deadline into an encoded request. Both are known only when it is sent.
    /// - Parameter offset: where the request begins.
    package static func stamp(_ bytes: inout [UInt8], at offset: Int = 0, id: UInt64, deadline: UInt64) {
        bytes.withUnsafeMutableBytes {
            $0.store(id, at: offset + idOffset)
            $0.store(deadline, at: offset + deadlineOffset)
        }
    }

    /// Writes the fencing token into an encoded frame. The session's token may have changed while the frame waited.
    package static func stamp(_ bytes: inout [UInt8], token: UInt64) {
        bytes.withUnsafeMutableBytes { $0.store(token, at: tokenOffset) }
    }

    /// Writes the number of a publish into the encoded frame.
    package static func stamp(_ bytes: inout [UInt8], publish number: UInt64) {
        bytes.withUnsafeMutableBytes { $0.store(number, at: deadlineOffset) }
    }

    /// Marks an encoded request as a copy.
    package static func stampCopy(_ bytes: inout [UInt8]) { bytes[flagsOffset] |= Flags.copy.rawValue }

    /// Returns at most the first 255 bytes of a longer text, cut at a character boundary.
    fileprivate static func bounded(_ text: String) -> String {
        var cut = text[...]
        while cut.utf8.count > 255 { cut.removeLast() }
        return String(cut)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes a number in network byte order.
    fileprivate func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: Value.self)
    }

    /// Copies a text's bytes, at most 255 of them.
    /// - Returns: the number of bytes.
    fileprivate func copy(_ text: String, to offset: inout Int) -> UInt8 {
        guard let count = UInt8(exactly: text.utf8.count) else { return copy(Frame.bounded(text), to: &offset) }
        if count == 0 { return 0 }
        let target = UnsafeMutableRawBufferPointer(rebasing: self[offset...])
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { target.copyMemory(from: .init($0)) }
        if isCopied == nil { target.copyBytes(from: text.utf8) }
        offset += Int(count)
        return count
    }
}
