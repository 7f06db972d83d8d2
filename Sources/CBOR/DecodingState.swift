/// What all decoders and containers of one decoding share: the validated bytes, the path walked, and where they left off.
final class DecodingState {
    /// An entry of a map.
    struct Position {
        /// Where the map's first key starts, which tells maps apart.
        let map: Int
        let index: Int
        /// Where the value starts.
        let value: Int
    }

    /// The validated input; empty once decoding is over, so that a decoder kept beyond it finds nothing to read.
    private(set) var bytes: UnsafeRawBufferPointer
    /// The entry that was looked up last. Fields are usually asked for in the order they were written in, so the next
    /// one is usually the one behind it.
    // No access to these overlaps another, and checking that at run time would cost more than the access.
    @exclusivity(unchecked) var lastEntry = Position(map: -1, index: 0, value: 0)
    /// The type whose `init(from:)` was called last: a dictionary asks for its container first.
    @exclusivity(unchecked) var decodedType: Any.Type = Never.self
    @exclusivity(unchecked) private var path: [PathStep] = []
    /// The entries of large maps by key, made when order alone does not find them.
    private var indexes: [Int: [String: Position]] = [:]

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Forgets the bytes, which the caller will not keep any longer.
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

    /// Makes the path the first `depth` steps of what it was and `steps` behind them, and gives its length.
    @inline(__always)
    func extendPath(depth: Int, with step: PathStep, after branch: PathBranch?) -> Int {
        if path.count > depth { path.removeLast(path.count - depth) }
        if let branch { path += branch.steps }
        path.append(step)
        return path.count
    }

    /// Finds an entry of a large map by its name.
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

/// The steps from a value to a container nested in it without a value of its own, such as an enumeration case's.
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
    /// Reads a key as a field's name: text as it is, an integer in decimal, nil for anything else.
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

    /// Walks over a key and says whether it is the given name.
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
