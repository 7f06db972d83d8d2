/// The state that all decoders and containers of one decoding share: the validated bytes, the coding path, and the
/// entry that was looked up last.
final class DecodingState {
    /// An entry of a map.
    struct Position {
        /// The offset of the map's first key, which identifies the map.
        let map: Int
        let index: Int
        /// The offset of the value.
        let value: Int
    }

    /// The validated input. It is empty once decoding has finished, so a decoder that is kept longer finds nothing to
    /// read.
    private(set) var bytes: UnsafeRawBufferPointer
    /// The entry that was looked up last. Fields are usually decoded in the order in which they were encoded, so the
    /// next lookup is usually for the entry after it.
    var lastEntry = Position(map: -1, index: 0, value: 0)
    /// The type whose `init(from:)` was called last. A dictionary asks for its container before anything else, so at
    /// that moment this is the dictionary's type.
    var decodedType: Any.Type = Never.self
    private var path: [PathStep] = []
    /// The entries of large maps by key. An index is made when a lookup in order fails.
    private var indexes: [Int: [String: Position]] = [:]

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Drops the bytes, which become invalid when the caller returns.
    func finish() {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    @inline(__always)
    func reader(at offset: Int) -> CBORReader {
        CBORReader(bytes, offset: offset)
    }

    /// The first `depth` steps of the path.
    func path(depth: Int) -> ArraySlice<PathStep> {
        path.prefix(depth)
    }

    /// Cuts the path to its first `depth` steps, appends the branch's steps and `step`, and returns the new length.
    @inline(__always)
    func extendPath(depth: Int, with step: PathStep, after branch: PathBranch?) -> Int {
        if path.count > depth { path.removeLast(path.count - depth) }
        if let branch { path += branch.steps }
        path.append(step)
        return path.count
    }

    /// Finds an entry of a large map by its name, using an index that is made on the first call.
    func indexedEntry(of name: String, map: Int, count: Int) throws(CBORError) -> Position? {
        if let index = indexes[map] { return index[name] }
        var index: [String: Position] = [:]
        index.reserveCapacity(count)
        var reader = reader(at: map)
        for position in 0..<count {
            let name = try reader.readKeyName()
            if let name, index[name] == nil {
                index[name] = Position(map: map, index: position, value: reader.offset)
            }
            try reader.skipItem()
        }
        indexes[map] = index
        return index[name]
    }
}

/// The steps from a value to a nested container that has no value of its own, such as that of an enumeration case.
final class PathBranch {
    let step: PathStep
    let parent: PathBranch?

    init(_ step: PathStep, after parent: PathBranch?) {
        self.step = step
        self.parent = parent
    }

    var steps: [PathStep] { (parent?.steps ?? []) + [step] }
}

extension CBORReader {
    /// Reads a key as a field's name: text unchanged, an integer in decimal, and nil for anything else.
    @inline(__always)
    mutating func readKeyName() throws(CBORError) -> String? {
        let start = offset
        let head = try readHeadSkippingTags()
        switch head.majorType {
        case .text: return try readText(head)
        case .unsigned, .negative: return head.integer(Int.self).map(String.init)
        default:
            offset = start
            try skipItem()
            return nil
        }
    }

    /// Skips a key and returns whether it is the given name.
    @inline(__always)
    mutating func takeKey(equalTo name: UnsafeBufferPointer<UInt8>) throws(CBORError) -> Bool {
        let start = offset
        let head = try readHead()
        guard head.majorType == .text, !head.isIndefinite else {
            offset = start
            return try takeUnusualKey(equalTo: name)
        }
        let content = try take(head.argument)
        guard content.count == name.count else { return false }
        for index in 0..<name.count where content[index] != name[index] { return false }
        return true
    }

    private mutating func takeUnusualKey(equalTo name: UnsafeBufferPointer<UInt8>) throws(CBORError) -> Bool {
        guard let key = try readKeyName() else { return false }
        return key.utf8.elementsEqual(name)
    }
}
