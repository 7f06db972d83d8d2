package import CBOR
package import Messaging

/// One message of the bus protocol: a fixed binary header, three short texts, and a payload in CBOR.
///
/// One ZeroMQ message part carries it: three parts would halve the throughput. All numbers are in network byte order. The
/// layout is a specification, see the package's protocol article; golden vectors in the tests hold it fast.
///
///      0  magic, 0x53            8  id          32  fencing token    72  length of name
///      1  version               16  parent      40  revision         73  length of session
///      2  kind                  24  deadline    48  trace id         74  length of sender
///      3  flags                                 64  span id          75  length of message id
///      4  length of the frame                                        76  name, session, sender, message id, payload
package struct Frame: Sendable {
    package static let magic: UInt8 = 0x53
    package static let version: UInt8 = 1
    package static let headerSize = 76
    /// The largest frame that is sent or taken, in bytes.
    package static let maximumSize = 16 << 20
    /// The bytes that it has when it is encoded, at most: more than by the lengths of its texts.
    package var sizeBound: Int { Self.headerSize + 4 * 255 + payload.count }

    /// What is special about a frame.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Sent on by a handler of the message that `parent` names: the climb goes on above that handler.
        package static let passedOn = Flags(rawValue: 1)
        /// The last frame of several: a snapshot has as many as it needs.
        package static let last = Flags(rawValue: 2)
        /// A request that may be handled twice: it is sent again when nobody knows what came of it.
        package static let idempotent = Flags(rawValue: 4)
        /// A request that must not be handled twice: the host keeps a record of it.
        package static let once = Flags(rawValue: 8)
        /// A request that was sent before, on a link that was lost: somebody may have it already.
        package static let copy = Flags(rawValue: 16)
    }

    package var kind: FrameKind
    package var flags: Flags = []
    /// Names a request on its link and direction; its end and its cancel have the same. A heartbeat's is repeated by its answer.
    package var id: UInt64 = 0
    /// The id under which the sender got what it passes on.
    package var parent: UInt64 = 0
    /// Microseconds on the host's clock at which the sender stops waiting; 0 for never.
    package var deadline: UInt64 = 0
    /// The sender's right to speak for its session.
    package var token: UInt64 = 0
    /// The revision of the container that is reached with it.
    package var revision: UInt64 = 0
    package var trace = TraceContext.none
    /// A message's name.
    package var name = ""
    /// The session that the frame belongs to.
    package var session = ""
    /// The class name of the responder that sent it.
    package var sender = ""
    /// Names the request in all of its copies; `nil` for one that is never sent again.
    package var messageID: MessageID?
    /// One CBOR item, or nothing.
    package var payload: ArraySlice<UInt8> = []

    package init(_ kind: FrameKind) {
        self.kind = kind
    }

    // MARK: - Frames of the container

    // Those have no id, parent and deadline; these stand in their place.

    /// The host's life whose container it is.
    package var epoch: UInt64 {
        get { id }
        set { id = newValue }
    }

    /// The revision from which it leads on.
    package var previous: UInt64 {
        get { parent }
        set { parent = newValue }
    }

    /// Which part of a snapshot it is, or asks for.
    package var part: UInt64 {
        get { deadline }
        set { deadline = newValue }
    }

    // MARK: - Requests

    /// How the request is delivered.
    package var delivery: MessageDelivery {
        get { flags.contains(.once) ? .once : flags.contains(.idempotent) ? .idempotent : .atMostOnce }
        set {
            flags.subtract([.once, .idempotent])
            if newValue == .once { flags.insert(.once) }
            if newValue == .idempotent { flags.insert(.idempotent) }
        }
    }

    // MARK: - Bytes

    /// The frame's bytes.
    package func encoded() -> [UInt8] {
        encoded(payloadCapacity: payload.count) { $0.append(contentsOf: payload) }
    }

    /// The frame's bytes, with a value as payload that is encoded in place.
    package func encoded(payload value: some Encodable) throws -> [UInt8] {
        try encoded(payloadCapacity: 192) { try CBOREncoder().encode(value, into: &$0) }
    }

    private func encoded(
        payloadCapacity: Int, appendPayload: (inout [UInt8]) throws -> Void
    ) rethrows -> [UInt8] {
        let texts = (Self.bounded(name), Self.bounded(session), Self.bounded(sender))
        let idSize = messageID == nil ? 0 : Self.messageIDSize
        let size = Self.headerSize + texts.0.utf8.count + texts.1.utf8.count + texts.2.utf8.count + idSize
        var bytes = [UInt8](unsafeUninitializedCapacity: size + payloadCapacity) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw[0] = Self.magic
            raw[1] = Self.version
            raw[2] = kind.rawValue
            raw[3] = flags.rawValue
            raw.store(id, at: Self.idOffset)
            raw.store(parent, at: 16)
            raw.store(deadline, at: Self.deadlineOffset)
            raw.store(token, at: Self.tokenOffset)
            raw.store(revision, at: 40)
            raw.store(trace.traceHigh, at: 48)
            raw.store(trace.traceLow, at: 56)
            raw.store(trace.span, at: 64)
            raw[72] = UInt8(texts.0.utf8.count)
            raw[73] = UInt8(texts.1.utf8.count)
            raw[74] = UInt8(texts.2.utf8.count)
            raw[75] = UInt8(idSize)
            var offset = Self.headerSize
            offset += raw.copy(texts.0, to: offset)
            offset += raw.copy(texts.1, to: offset)
            offset += raw.copy(texts.2, to: offset)
            if let messageID {
                raw.store(messageID.high, at: offset)
                raw.store(messageID.low, at: offset + 8)
                offset += Self.messageIDSize
            }
            count = offset
        }
        try appendPayload(&bytes)
        let length = UInt32(bytes.count)
        bytes.withUnsafeMutableBytes { $0.store(length, at: 4) }
        return bytes
    }

    /// Names a request in its encoded bytes, and says until when it is waited for: both are known last.
    package static func stamp(_ bytes: inout [UInt8], id: UInt64, deadline: UInt64) {
        bytes.withUnsafeMutableBytes {
            $0.store(id, at: idOffset)
            $0.store(deadline, at: deadlineOffset)
        }
    }

    /// Says with which right a frame speaks for its session, in its encoded bytes: a frame that waited may have another by now.
    package static func stamp(_ bytes: inout [UInt8], token: UInt64) {
        bytes.withUnsafeMutableBytes { $0.store(token, at: tokenOffset) }
    }

    /// Marks a request's encoded bytes as a copy.
    package static func stampCopy(_ bytes: inout [UInt8]) { bytes[flagsOffset] |= Flags.copy.rawValue }

    private static let flagsOffset = 3
    private static let messageIDSize = 16
    private static let tokenOffset = 32
    private static let idOffset = 8
    private static let deadlineOffset = 24

    /// A text's first 255 bytes, cut at a character.
    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > 255 else { return text }
        var cut = text[...]
        while cut.utf8.count > 255 { cut.removeLast() }
        return String(cut)
    }

    /// Reads a frame.
    /// - Throws: `FrameError` for anything that is not exactly one frame of this version.
    package init(_ bytes: [UInt8]) throws(FrameError) {
        guard bytes.count >= 4 else {
            throw FrameError(.tooShort, "\(bytes.count) bytes are too few for a frame")
        }
        guard bytes.count <= Self.maximumSize else {
            throw FrameError(.tooLarge, "a frame of \(bytes.count) bytes; one has at most \(Self.maximumSize)")
        }
        guard bytes[0] == Self.magic else {
            throw FrameError(.notOurs, "the first byte is \(bytes[0]), not \(Self.magic): this is not a frame")
        }
        guard bytes[1] == Self.version else {
            throw FrameError(
                .otherVersion, "a frame of version \(bytes[1]); this process speaks version \(Self.version)")
        }
        guard let kind = FrameKind(rawValue: bytes[2]) else {
            throw FrameError(.unknownKind, "a frame of unknown kind \(bytes[2])")
        }
        guard bytes.count >= Self.headerSize else {
            throw FrameError(.tooShort, "a frame cut short: \(bytes.count) of at least \(Self.headerSize) bytes")
        }
        // Before anything of it is decoded: what it may cost depends on what it is.
        guard bytes.count <= Self.maximumSize(of: kind) else {
            throw FrameError(
                .tooLarge,
                "a \(kind.name) of \(bytes.count) bytes; one has at most \(Self.maximumSize(of: kind))")
        }
        self.kind = kind
        flags = Flags(rawValue: bytes[3])
        var length: UInt32 = 0
        var texts = (0, 0, 0)
        var idSize = 0
        bytes.withUnsafeBytes { raw in
            func number<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type = Value.self) -> Value {
                Value(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: Value.self))
            }
            length = number(4)
            id = number(8)
            parent = number(16)
            deadline = number(24)
            token = number(32)
            revision = number(40)
            trace = TraceContext(traceHigh: number(48), traceLow: number(56), span: number(64))
            texts = (Int(raw[72]), Int(raw[73]), Int(raw[74]))
            idSize = Int(raw[75])
        }
        guard Int(length) == bytes.count else {
            throw FrameError(.wrongLength, "a frame of \(bytes.count) bytes that says it has \(length)")
        }
        guard idSize == 0 || idSize == Self.messageIDSize else {
            throw FrameError(.wrongLength, "a frame whose message id has \(idSize) bytes, not \(Self.messageIDSize)")
        }
        let end = Self.headerSize + texts.0 + texts.1 + texts.2 + idSize
        guard end <= bytes.count else {
            throw FrameError(.wrongLength, "a frame whose texts are longer than the frame")
        }
        let read = bytes.withUnsafeBytes { raw -> (String, String, String)? in
            var offset = Self.headerSize
            func text(_ count: Int) -> String? {
                guard count > 0 else { return "" }
                defer { offset += count }
                return String(validatingUTF8Bytes: UnsafeRawBufferPointer(rebasing: raw[offset..<(offset + count)]))
            }
            guard let name = text(texts.0), let session = text(texts.1), let sender = text(texts.2) else { return nil }
            return (name, session, sender)
        }
        guard let read else { throw FrameError(.badText, "a frame with a text that is not UTF-8") }
        (name, session, sender) = read
        if idSize > 0 {
            messageID = bytes.withUnsafeBytes { raw in
                func number(_ offset: Int) -> UInt64 {
                    UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                }
                return MessageID(high: number(end - 16), low: number(end - 8))
            }
        }
        payload = bytes[end...]
    }

    /// The first bytes of every frame of a kind: what a subscriber asks a publisher for.
    package static func topic(_ kind: FrameKind) -> [UInt8] { [magic, version, kind.rawValue] }

    /// Reads the payload as a value.
    /// - Throws: `FrameError` that names the kind of frame and the field.
    package func decodePayload<Value: Decodable>(
        as type: Value.Type, limits: CBORLimits = .default
    ) throws(FrameError) -> Value {
        do {
            return try CBORDecoder(limits: limits).decode(type, from: payload)
        } catch {
            throw FrameError(.badPayload, "a \(kind.name) whose payload cannot be read: \(String(explaining: error))")
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes a number in network byte order.
    fileprivate func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: Value.self)
    }

    /// Copies a text's bytes.
    /// - Returns: how many they are.
    fileprivate func copy(_ text: String, to offset: Int) -> Int {
        let target = UnsafeMutableRawBufferPointer(rebasing: self[offset...])
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { target.copyMemory(from: .init($0)) }
        if isCopied == nil { target.copyBytes(from: text.utf8) }
        return text.utf8.count
    }
}
