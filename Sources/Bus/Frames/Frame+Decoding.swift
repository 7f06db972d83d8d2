// Hot path: it runs for each request. See "Hot paths" in Contributing.

package import CBOR
import Messaging

/// Frames from bytes.
extension Frame {
    /// Decodes a frame. Its payload is not copied.
    /// - Parameters:
    ///   - known: the texts of the frames before it, and the names that have an index.
    ///   - names: how many of these names the frame's link has.
    /// - Throws: `FrameError` when the bytes are not exactly one frame of this version.
    package init(
        _ bytes: ArraySlice<UInt8>, _ known: inout FrameTexts, names: Int
    ) throws(FrameError) {
        let start = bytes.startIndex
        guard bytes.count >= 4 else {
            throw FrameError(.tooShort, "\(bytes.count) bytes are too few for a frame")
        }
        guard bytes.count <= Self.maximumSize else {
            throw FrameError(.tooLarge, "a frame of \(bytes.count) bytes; the maximum is \(Self.maximumSize)")
        }
        guard bytes[start] == Self.magic else {
            throw FrameError(.notOurs, "the first byte is \(bytes[start]), not \(Self.magic): this is not a frame")
        }
        guard bytes[start + 1] == Self.version else {
            throw FrameError(
                .otherVersion, "a frame of version \(bytes[start + 1]); this process speaks version \(Self.version)")
        }
        guard let kind = FrameKind(rawValue: bytes[start + 2]) else {
            throw FrameError(.unknownKind, "a frame of unknown kind \(bytes[start + 2])")
        }
        guard bytes.count >= Self.headerSize else {
            throw FrameError(.tooShort, "a frame cut short: \(bytes.count) of at least \(Self.headerSize) bytes")
        }
        // Checked before anything else is decoded: the allowed size depends on the kind.
        guard bytes.count <= Self.maximumSize(of: kind) else {
            throw FrameError(
                .tooLarge,
                "a \(kind.name) of \(bytes.count) bytes; the maximum is \(Self.maximumSize(of: kind))")
        }
        let length = Self.number(at: Self.lengthOffset, in: bytes, as: UInt32.self)
        let texts = (Int(bytes[start + 72]), Int(bytes[start + 73]), Int(bytes[start + 74]))
        let idSize = Int(bytes[start + 75])
        guard Int(length) == bytes.count else {
            throw FrameError(.wrongLength, "a frame of \(bytes.count) bytes whose header says \(length)")
        }
        guard idSize == 0 || idSize == Self.messageIDSize else {
            throw FrameError(.wrongLength, "a frame whose message id has \(idSize) bytes, not \(Self.messageIDSize)")
        }
        let actorStart = Self.headerSize + texts.0 + texts.1 + texts.2 + idSize
        let hasActor = bytes[start + 3] & Flags.hasActor.rawValue != 0
        let end = hasActor && actorStart < bytes.count ? actorStart + 1 + Int(bytes[start + actorStart]) : actorStart
        guard end <= bytes.count, !hasActor || actorStart + 1 < end else {
            throw FrameError(.wrongLength, "a frame whose texts are longer than the frame, or whose actor is empty")
        }
        let read = bytes.withUnsafeBytes { raw -> (FrameText, String, String)? in
            let (session, sender) = (Self.headerSize + texts.0, Self.headerSize + texts.0 + texts.1)
            guard let name = known.name(of: .init(rebasing: raw[Self.headerSize..<session]), count: names),
                let sentBy = known.text(of: .init(rebasing: raw[sender..<(sender + texts.2)]))
            else { return nil }
            if texts.1 == 0 { return (name, "", sentBy.text) }
            // A host has too many sessions to remember them.
            guard let session = String(validatingUTF8Bytes: .init(rebasing: raw[session..<sender])) else { return nil }
            return (name, session, sentBy.text)
        }
        let actor = hasActor ? known.actor(in: bytes[(start + actorStart + 1)..<(start + end)]) : ""
        guard let read, let actor else {
            throw FrameError(.badText, "a frame with a text that is not UTF-8, or an unknown name")
        }
        self.kind = kind
        flags = Flags(rawValue: bytes[start + 3] & ~Flags.hasActor.rawValue)
        id = Self.number(at: Self.idOffset, in: bytes)
        parent = Self.number(at: 16, in: bytes)
        deadline = Self.number(at: Self.deadlineOffset, in: bytes)
        token = Self.number(at: Self.tokenOffset, in: bytes)
        revision = Self.number(at: Self.revisionOffset, in: bytes)
        trace = TraceContext(
            traceHigh: Self.number(at: 48, in: bytes), traceLow: Self.number(at: 56, in: bytes),
            span: Self.number(at: 64, in: bytes))
        storedName = read.0.text
        isAddressed = read.0.isAddressed
        isPlain = read.0.isPlain
        nameIndex = read.0.index
        session = read.1
        sender = read.2
        messageID =
            idSize == 0
            ? nil
            : MessageID(
                high: Self.number(at: actorStart - 16, in: bytes), low: Self.number(at: actorStart - 8, in: bytes))
        self.actor = actor
        payload = bytes[(start + end)...]
    }

    /// Whether an encoded frame has an index in the place of its name.
    package static func hasNameIndex(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.startIndex
        return bytes.count >= headerSize + 2 && bytes[start + 72] == 2 && bytes[start + headerSize] == NameIndex.mark
    }

    /// Decodes a frame. Its payload is not copied.
    /// - Throws: `FrameError` when the bytes are not exactly one frame of this version.
    package init(_ bytes: ArraySlice<UInt8>) throws(FrameError) {
        var none = FrameTexts.none
        try self.init(bytes, &none, names: 0)
    }

    /// Decodes a frame that has its own bytes.
    /// - Throws: `FrameError` when the bytes are not exactly one frame of this version.
    package init(_ bytes: [UInt8]) throws(FrameError) { try self.init(bytes[...]) }

    /// Reads a number in network byte order.
    /// - Parameter offset: its place, which as many bytes must follow as the number has.
    @inline(__always)
    private static func number<Value: FixedWidthInteger>(
        at offset: Int, in bytes: ArraySlice<UInt8>, as type: Value.Type = UInt64.self
    ) -> Value {
        bytes.withUnsafeBytes { Value(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }

    /// Returns the first bytes of every frame of a kind, which is the topic to subscribe to.
    package static func topic(_ kind: FrameKind) -> [UInt8] { [magic, version, kind.rawValue] }

    /// Returns whether bytes begin like a hello.
    package static func isHello(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count > 2 && bytes[2] == FrameKind.hello.rawValue
    }

    /// Decodes the payload as a value.
    /// - Throws: `FrameError` that names the kind of frame and the field.
    package func decodePayload<Value: Decodable>(
        as type: Value.Type, limits: CBORLimits = .default
    ) throws(FrameError) -> Value {
        do { return try CBORDecoder(limits: limits).decode(type, from: payload) } catch { throw unreadable(error) }
    }

    /// Decodes the payload as a value that reads itself.
    /// - Throws: `FrameError` that names the kind of frame and the field.
    package func decodePayload<Value: CBORItem>(
        as type: Value.Type, limits: CBORLimits = .default
    ) throws(FrameError) -> Value {
        do { return try CBORDecoder(limits: limits).decode(type, from: payload) } catch { throw unreadable(error) }
    }

    private func unreadable(_ error: any Error) -> FrameError {
        FrameError(.badPayload, "a \(kind.name) whose payload cannot be read: \(String(explaining: error))")
    }
}
