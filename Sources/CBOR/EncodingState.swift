/// The bytes that one encoding has written, and its open containers.
///
/// Values are written one after the other. The head of a map or array contains the number of its items, so one byte is
/// reserved for it and patched when the value that opened the container has been encoded.
final class EncodingState {
    /// A value that is being encoded, and the container that it has opened, if any.
    struct Level {
        enum Kind { case empty, scalar, array, map }

        /// Identifies the level. A container that is used after its value's `encode(to:)` has returned finds another
        /// number here.
        let serial: Int
        let start: Int
        let step: PathStep?
        var kind = Kind.empty
        var count = 0
        var sortsKeys = false
        var isShared = false
    }

    /// The content of a nested container or super encoder. It can be filled until the level that requested it closes,
    /// and is inserted then.
    private struct Insertion {
        let offset: Int
        let content: EncodingState
    }

    /// The deepest nesting that is encoded. Encoding recurses, and a thread's stack is finite.
    static let maximumDepth = CBORLimits.deepest

    var writer: CBORWriter
    private(set) var current: Level
    private var outer: [Level] = []
    private var insertions: [Insertion] = []
    private var lastSerial = 0
    private let basePath: [PathStep]
    private let baseDepth: Int
    /// The first error in a function that cannot throw.
    private var failure: EncodingError?

    init(_ writer: consuming CBORWriter, basePath: [PathStep] = [], baseDepth: Int = 0) {
        current = Level(serial: 0, start: writer.byteCount, step: nil)
        self.writer = writer
        self.basePath = basePath
        self.baseDepth = baseDepth
    }

    /// The coding path of the value that is encoded at the level with this serial number.
    func path(of serial: Int) -> [any CodingKey] {
        steps(of: serial)
    }

    private func steps(of serial: Int) -> [PathStep] {
        var steps = basePath
        for level in outer where level.serial <= serial {
            if let step = level.step { steps.append(step) }
        }
        if current.serial <= serial, let step = current.step { steps.append(step) }
        return steps
    }

    // MARK: Values

    /// Encodes the outermost value.
    ///
    /// - Throws: The value's error. The bytes that the value has written so far are kept.
    func encodeOutermost<T: Encodable>(_ value: T) throws {
        if encodeDirectly(value) {
            current.kind = .scalar
        } else {
            try value.encode(to: ItemEncoder(state: self, serial: current.serial))
        }
    }

    /// Encodes a value as one item after the bytes written so far.
    ///
    /// - Throws: The value's error. The bytes that the value has written are removed.
    @inline(__always)
    func encode<T: Encodable>(_ value: T, step: PathStep?) throws {
        if !encodeDirectly(value) { try encodeThroughProtocol(value, step: step) }
    }

    private func encodeThroughProtocol<T: Encodable>(_ value: T, step: PathStep?) throws {
        guard baseDepth + outer.count < Self.maximumDepth else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: path(of: current.serial),
                    debugDescription: "Values are nested deeper than \(Self.maximumDepth) levels."))
        }
        let start = writer.byteCount
        lastSerial += 1
        outer.append(current)
        current = Level(serial: lastSerial, start: start, step: step)
        do {
            try value.encode(to: ItemEncoder(state: self, serial: current.serial))
            close()
        } catch {
            takeBack(to: start)
            current = outer.removeLast()
            throw error
        }
        current = outer.removeLast()
    }

    /// Encodes the types that are written without their `encode(to:)`, and returns false for all others.
    private func encodeDirectly<T: Encodable>(_ value: T) -> Bool {
        switch value {
        case let value as String: writer.writeString(value)
        case let value as Int: writer.writeInteger(Int64(value))
        case let value as Double: writer.writeDouble(value)
        // An empty array of anything can be cast to this one.
        case let value as [UInt8] where T.self == [UInt8].self: writer.writeBytes(value)
        case let value as CBORBytes: writer.writeBytes(value.bytes)
        case let value as CBORRaw: writer.writeRaw(value)
        case let value as CBORValue: writer.writeValue(value)
        default: return false
        }
        return true
    }

    /// Removes everything from `start` on.
    func takeBack(to start: Int) {
        writer.bytes.removeSubrange(start...)
        while let last = insertions.last, last.offset >= start { insertions.removeLast() }
    }

    // MARK: Containers

    /// Whether the level is the innermost one, which is the only one that may be written to.
    @inline(__always)
    func isCurrent(_ serial: Int) -> Bool {
        current.serial == serial
    }

    /// Makes the level's value a map or an array. A second container of the same kind shares it.
    @inline(__always)
    func open(_ kind: Level.Kind, serial: Int, sortsKeys: Bool = false) {
        guard isCurrent(serial), current.kind == .empty || current.kind == kind else {
            return fail(misuse(serial, "The value is already encoded as something else, or is finished."))
        }
        if current.kind == .empty {
            current.kind = kind
            current.sortsKeys = sortsKeys
            writer.bytes.append(kind == .map ? 0xa0 : 0x80)
        } else {
            current.isShared = true
        }
    }

    /// Counts one more entry of the current map or array.
    @inline(__always)
    func countEntry() {
        current.count &+= 1
    }

    /// Marks the current value as a scalar.
    ///
    /// - Throws: `EncodingError` if the value has already been encoded.
    @inline(__always)
    func beginScalar(serial: Int) throws {
        guard isCurrent(serial), current.kind == .empty else {
            throw misuse(serial, "The value is already encoded, or is finished.")
        }
        current.kind = .scalar
    }

    /// Allows the current value to be encoded again after a failed attempt.
    func cancelScalar() {
        current.kind = .empty
    }

    /// Reserves the place of one item, which can be filled until the current level closes.
    func insertion(step: PathStep) -> ItemEncoder {
        var path = steps(of: current.serial)
        path.append(step)
        let content = EncodingState(
            CBORWriter(capacity: 64), basePath: path, baseDepth: baseDepth + outer.count + 1)
        insertions.append(Insertion(offset: writer.byteCount, content: content))
        return ItemEncoder(state: content, serial: 0)
    }

    // MARK: Closing

    /// Finishes the outermost value and returns all bytes.
    ///
    /// - Throws: `EncodingError` if containers were misused.
    func finish() throws(EncodingError) -> [UInt8] {
        close()
        if let failure { throw failure }
        let bytes = writer.bytes
        writer.bytes = []
        return bytes
    }

    private func close() {
        switch current.kind {
        case .empty:
            // As with other encoders, a value that encodes nothing becomes an empty map.
            writer.bytes.append(0xa0)
        case .scalar:
            break
        case .array, .map:
            while let last = insertions.last, last.offset > current.start { insert(insertions.removeLast()) }
            if current.count > 0 { patchHead() }
        }
    }

    private func insert(_ insertion: Insertion) {
        do {
            writer.bytes.insert(contentsOf: try insertion.content.finish(), at: insertion.offset)
        } catch {
            fail(error)
        }
    }

    @inline(__always)
    private func patchHead() {
        if current.sortsKeys || current.isShared { arrangeKeys() }
        if current.count < 24 {
            writer.bytes[current.start] |= UInt8(truncatingIfNeeded: current.count)
        } else {
            var head = CBORWriter(capacity: 9)
            head.writeHead(current.kind == .map ? .map : .array, UInt64(current.count))
            writer.bytes.replaceSubrange(current.start...current.start, with: head.bytes)
        }
    }

    private func arrangeKeys() {
        guard current.kind == .map else { return }
        let entries = MapEntries(of: writer.bytes[(current.start + 1)...], count: current.count)
        if current.sortsKeys, let sorted = entries.sorted() {
            writer.bytes.replaceSubrange((current.start + 1)..., with: sorted)
        } else if current.isShared, let name = entries.duplicateKey() {
            fail(misuse(current.serial, "The key '\(name)' is encoded twice."))
        }
    }

    // MARK: Misuse

    /// Keeps the first error until `finish()`, because the caller cannot throw.
    func fail(_ error: EncodingError) {
        failure = failure ?? error
    }

    /// Makes an error for a container that is misused.
    func misuse(_ serial: Int, _ reason: String) -> EncodingError {
        EncodingError.invalidValue(
            [UInt8](), EncodingError.Context(codingPath: path(of: serial), debugDescription: reason))
    }
}
