// Hot path: it runs for each request. Budget: 600 instructions to read a frame, 500 to write one without its payload.
// See "Hot paths" in Contributing.

package import CBOR
package import Messaging

/// A message of the bus protocol: a fixed binary header, three short texts, and a payload in CBOR.
///
/// A frame is one ZeroMQ message part, because three parts would halve the throughput. All numbers are in network byte
/// order. The layout is specified in the package's protocol article; golden vectors in the tests check it.
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
    /// The maximum size of a frame, in bytes.
    package static let maximumSize = 16 << 20
    /// An upper bound for the size of the encoded frame, in bytes. It assumes texts of the maximum length.
    package var sizeBound: Int { Self.headerSize + 4 * 255 + payload.count }

    /// The properties of a frame.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        // The generic method costs each decision about a frame three times as much in other modules.
        package func contains(_ other: Flags) -> Bool { rawValue & other.rawValue == other.rawValue }

        /// A handler has passed the message on; `parent` names the message that it received. The climb continues above
        /// that handler.
        package static let passedOn = Flags(rawValue: 1)
        /// The last of several frames, such as the last part of a snapshot.
        package static let last = Flags(rawValue: 2)
        /// A request that may be handled twice. It is sent again when its outcome is unknown.
        package static let idempotent = Flags(rawValue: 4)
        /// A request that must not be handled twice. The host keeps a record of it.
        package static let once = Flags(rawValue: 8)
        /// A request that was sent before, on a link that was lost. It may have been delivered then.
        package static let copy = Flags(rawValue: 16)
    }

    // No property has a default value, and each initializer sets each property once: for a property that is set twice, the
    // compiler copies the whole frame.

    package var kind: FrameKind
    package var flags: Flags
    /// Identifies a request on its link and in its direction. The reply and the cancel have the same id. The reply to a
    /// heartbeat repeats its id.
    package var id: UInt64
    /// The id under which the sender received the message that it passes on.
    package var parent: UInt64
    /// The time at which the sender stops waiting, in microseconds on the host's clock; 0 for never.
    package var deadline: UInt64
    /// The fencing token with which the sender acts for its session.
    package var token: UInt64
    /// The revision of the container that the frame refers to.
    package var revision: UInt64
    package var trace: TraceContext
    /// The message's name.
    package var name: String {
        get { storedName }
        set {
            storedName = newValue
            isAddressed = Self.isAddressed(newValue)
        }
    }
    private var storedName: String
    /// Whether the message is addressed to a service instead of climbing the responder chain. It is stored because
    /// several decisions about a frame depend on it.
    package private(set) var isAddressed: Bool
    /// The session that the frame belongs to.
    package var session: String
    /// The class name of the responder that sent it.
    package var sender: String
    /// Identifies the request in all of its copies; `nil` for a request that is never sent again.
    package var messageID: MessageID?
    /// One CBOR item, or empty.
    package var payload: ArraySlice<UInt8>

    /// Creates a frame.
    /// - Parameter name: the message's name; empty for a frame without a message.
    package init(_ kind: FrameKind, name: String = "") {
        self.kind = kind
        flags = []
        id = 0
        parent = 0
        deadline = 0
        token = 0
        revision = 0
        trace = .none
        storedName = name
        isAddressed = Self.isAddressed(name)
        session = ""
        sender = ""
        messageID = nil
        payload = []
    }

    /// Creates a frame with a message.
    /// - Parameter flags: the flags besides those of the delivery.
    @inline(__always)
    package init(
        _ kind: FrameKind, name: String, session: String, sender: String, token: UInt64, delivery: MessageDelivery,
        flags: Flags, parent: UInt64, trace: TraceContext, messageID: MessageID?
    ) {
        self.kind = kind
        self.flags =
            switch delivery {
            case .atMostOnce: flags
            case .idempotent: flags.union(.idempotent)
            case .once: flags.union(.once)
            }
        id = 0
        self.parent = parent
        deadline = 0
        self.token = token
        revision = 0
        self.trace = trace
        storedName = name
        isAddressed = Self.isAddressed(name)
        self.session = session
        self.sender = sender
        self.messageID = messageID
        payload = []
    }

    /// Creates the reply to a request, without its payload.
    @inline(__always)
    package init(replyTo id: UInt64, name: String, session: String, revision: UInt64) {
        kind = .reply
        flags = []
        self.id = id
        parent = 0
        deadline = 0
        token = 0
        self.revision = revision
        trace = .none
        storedName = name
        isAddressed = Self.isAddressed(name)
        self.session = session
        sender = ""
        messageID = nil
        payload = []
    }

    // MARK: - Frames of the container

    // Frames of the container have no id, parent and deadline. They use these header fields for the values below.

    /// The epoch of the host to which the container belongs.
    package var epoch: UInt64 {
        get { id }
        set { id = newValue }
    }

    /// The revision that the change follows.
    package var previous: UInt64 {
        get { parent }
        set { parent = newValue }
    }

    /// The number of the part of a snapshot that the frame contains or requests.
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

    /// Returns the encoded frame.
    package func encoded() -> [UInt8] {
        encoded(payloadCapacity: payload.count) { $0.writeRaw(payload) }
    }

    /// Returns the encoded frame with a value as its payload, which is encoded in place.
    package func encoded(payload value: some CBORItem) throws -> [UInt8] {
        do {
            return try encoded(payloadCapacity: Self.usualPayload) { try value.writeItem(to: &$0) }
        } catch {
            return try encodedThroughCodable(value)
        }
    }

    /// Returns the encoded frame with the reply to a request as its payload.
    package func encoded<M: ResponderRequest>(reply: M.Reply, to message: M.Type) throws -> [UInt8] {
        do {
            return try encoded(payloadCapacity: Self.usualPayload) { try M.writeReply(reply, to: &$0) }
        } catch {
            return try encodedThroughCodable(reply)
        }
    }

    /// Returns the encoded frame with a value that is only `Codable` as its payload.
    package func encoded(payload value: some Encodable) throws -> [UInt8] {
        try encodedThroughCodable(value)
    }

    private func encodedThroughCodable(_ value: some Encodable) throws -> [UInt8] {
        var bytes = encoded(payloadCapacity: Self.usualPayload) { _ in }
        try CBOREncoder().encodeThroughCodable(value, into: &bytes)
        Self.writeLength(of: &bytes)
        return bytes
    }

    /// The memory that is reserved for a payload whose size is not known yet, in bytes. Most payloads fit.
    private static let usualPayload = 400

    private func encoded(
        payloadCapacity: Int, writePayload: (inout CBORWriter) throws -> Void
    ) rethrows -> [UInt8] {
        let texts = min(name.utf8.count, 255) + min(session.utf8.count, 255) + min(sender.utf8.count, 255)
        let size = Self.headerSize + texts + (messageID == nil ? 0 : Self.messageIDSize)
        var bytes = try CBORWriter.makeArray(
            capacity: size + payloadCapacity, startingWith: { writeHead(to: $0) }, writePayload)
        Self.writeLength(of: &bytes)
        return bytes
    }

    /// The room for a frame of the usual size, in bytes. A header with the longest texts fits.
    package static let roomInPlace = headerSize + 3 * 255 + messageIDSize + usualPayload

    /// Appends the encoded frame to others.
    /// - Parameters:
    ///   - bytes: the other frames, with a capacity for ``roomInPlace`` further bytes.
    ///   - writePayload: writes the payload. Nothing is appended if it throws.
    @inline(__always)
    private func append(to bytes: inout [UInt8], _ writePayload: (inout CBORWriter) throws -> Void) rethrows {
        let start = bytes.count
        try CBORWriter.append(to: &bytes, startingWith: { writeHead(to: $0) }, writePayload)
        Self.writeLength(of: &bytes, from: start)
    }

    /// Appends the encoded frame to others, with a value as its payload.
    /// - Parameter bytes: the other frames, with a capacity for ``roomInPlace`` further bytes.
    package func append(to bytes: inout [UInt8], payload value: some CBORItem) throws {
        try append(to: &bytes) { try value.writeItem(to: &$0) }
    }

    /// Appends the encoded frame to others, with the reply to a request as its payload.
    /// - Parameter bytes: the other frames, with a capacity for ``roomInPlace`` further bytes.
    package func append<M: ResponderRequest>(to bytes: inout [UInt8], reply: M.Reply, to message: M.Type) throws {
        try append(to: &bytes) { try M.writeReply(reply, to: &$0) }
    }

    /// Writes what precedes the payload.
    /// - Returns: the number of bytes.
    @inline(__always)
    private func writeHead(to raw: UnsafeMutableRawBufferPointer) -> Int {
        raw[0] = Self.magic
        raw[1] = Self.version
        raw[2] = kind.rawValue
        raw[3] = flags.rawValue
        raw.store(id, at: Self.idOffset)
        raw.store(parent, at: 16)
        raw.store(deadline, at: Self.deadlineOffset)
        raw.store(token, at: Self.tokenOffset)
        raw.store(revision, at: Self.revisionOffset)
        raw.store(trace.traceHigh, at: 48)
        raw.store(trace.traceLow, at: 56)
        raw.store(trace.span, at: 64)
        var offset = Self.headerSize
        raw[72] = raw.copy(storedName, to: &offset)
        raw[73] = raw.copy(session, to: &offset)
        raw[74] = raw.copy(sender, to: &offset)
        raw[75] = UInt8(messageID == nil ? 0 : Self.messageIDSize)
        if let messageID {
            raw.store(messageID.high, at: offset)
            raw.store(messageID.low, at: offset + 8)
            offset += Self.messageIDSize
        }
        return offset
    }

    private static func writeLength(of bytes: inout [UInt8], from start: Int = 0) {
        let length = UInt32(bytes.count - start)
        bytes.withUnsafeMutableBytes { $0.store(length, at: start + lengthOffset) }
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

    /// Marks an encoded request as a copy.
    package static func stampCopy(_ bytes: inout [UInt8]) { bytes[flagsOffset] |= Flags.copy.rawValue }

    package static let lengthOffset = 4
    private static let flagsOffset = 3
    private static let messageIDSize = 16
    private static let tokenOffset = 32
    private static let revisionOffset = 40
    private static let idOffset = 8
    private static let deadlineOffset = 24

    /// Returns at most the first 255 bytes of a longer text, cut at a character boundary.
    fileprivate static func bounded(_ text: String) -> String {
        var cut = text[...]
        while cut.utf8.count > 255 { cut.removeLast() }
        return String(cut)
    }

    /// Decodes a frame. Its payload is not copied.
    /// - Parameter recent: the texts of the frames before it.
    /// - Throws: `FrameError` when the bytes are not exactly one frame of this version.
    package init(_ bytes: ArraySlice<UInt8>, _ recent: inout RecentTexts) throws(FrameError) {
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
        let end = Self.headerSize + texts.0 + texts.1 + texts.2 + idSize
        guard end <= bytes.count else {
            throw FrameError(.wrongLength, "a frame whose texts are longer than the frame")
        }
        let read = bytes.withUnsafeBytes { raw -> (String, Bool, String, String)? in
            let (session, sender) = (Self.headerSize + texts.0, Self.headerSize + texts.0 + texts.1)
            guard let name = recent.text(of: .init(rebasing: raw[Self.headerSize..<session])),
                let sentBy = recent.text(of: .init(rebasing: raw[sender..<(sender + texts.2)]))
            else { return nil }
            if texts.1 == 0 { return (name.text, name.isAddressed, "", sentBy.text) }
            // A host has too many sessions to remember them.
            guard let session = String(validatingUTF8Bytes: .init(rebasing: raw[session..<sender])) else { return nil }
            return (name.text, name.isAddressed, session, sentBy.text)
        }
        guard let read else { throw FrameError(.badText, "a frame with a text that is not UTF-8") }
        self.kind = kind
        flags = Flags(rawValue: bytes[start + 3])
        id = Self.number(at: Self.idOffset, in: bytes)
        parent = Self.number(at: 16, in: bytes)
        deadline = Self.number(at: Self.deadlineOffset, in: bytes)
        token = Self.number(at: Self.tokenOffset, in: bytes)
        revision = Self.number(at: Self.revisionOffset, in: bytes)
        trace = TraceContext(
            traceHigh: Self.number(at: 48, in: bytes), traceLow: Self.number(at: 56, in: bytes),
            span: Self.number(at: 64, in: bytes))
        (storedName, isAddressed, session, sender) = read
        messageID =
            idSize == 0
            ? nil : MessageID(high: Self.number(at: end - 16, in: bytes), low: Self.number(at: end - 8, in: bytes))
        payload = bytes[(start + end)...]
    }

    /// Decodes a frame. Its payload is not copied.
    /// - Throws: `FrameError` when the bytes are not exactly one frame of this version.
    package init(_ bytes: ArraySlice<UInt8>) throws(FrameError) {
        var none = RecentTexts.none
        try self.init(bytes, &none)
    }

    /// Decodes a frame that has its own bytes.
    /// - Throws: `FrameError` when the bytes are not exactly one frame of this version.
    package init(_ bytes: [UInt8]) throws(FrameError) { try self.init(bytes[...]) }

    /// Reads a number in network byte order.
    @inline(__always)
    private static func number<Value: FixedWidthInteger>(
        at offset: Int, in bytes: ArraySlice<UInt8>, as type: Value.Type = UInt64.self
    ) -> Value {
        bytes.withUnsafeBytes { Value(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }

    /// Returns the first bytes of every frame of a kind, which is the topic to subscribe to.
    package static func topic(_ kind: FrameKind) -> [UInt8] { [magic, version, kind.rawValue] }

    /// Decodes the payload as a value.
    /// - Throws: `FrameError` that names the kind of frame and the field.
    package func decodePayload<Value: Decodable>(
        as type: Value.Type, limits: CBORLimits = .default
    ) throws(FrameError) -> Value {
        do { return try CBORDecoder(limits: limits).decode(type, from: payload) } catch { throw unreadable(error) }
    }

    /// Decodes the payload as a value that reads itself.
    /// - Throws: `FrameError` that names the kind of frame and the field.
    package func decodePayload<Value: CBORItem>(as type: Value.Type) throws(FrameError) -> Value {
        do { return try CBORDecoder().decode(type, from: payload) } catch { throw unreadable(error) }
    }

    private func unreadable(_ error: any Error) -> FrameError {
        FrameError(.badPayload, "a \(kind.name) whose payload cannot be read: \(String(explaining: error))")
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
