/// The place of a value or container in the input's structure, with methods that read values there.
struct DecodingLocation {
    let state: DecodingState
    /// The steps that lead from the state's path to this location, if any.
    let branch: PathBranch?
    /// The number of steps of the state's path that lead to this location.
    let depth: UInt32

    var codingPath: [any CodingKey] { path(adding: nil) }

    func path(adding step: PathStep?) -> [any CodingKey] {
        state.path(depth: Int(depth)) + (branch?.steps ?? []) + (step.map { [$0] } ?? [])
    }

    /// The location one step further, for a container that has no value of its own.
    func branching(_ step: PathStep) -> DecodingLocation {
        DecodingLocation(state: state, branch: PathBranch(step, after: branch), depth: depth)
    }

    // MARK: Values

    @inline(__always)
    func isNull(at offset: Int) throws -> Bool {
        var reader = state.reader(at: offset)
        return try reader.readHeadSkippingTags().isNull
    }

    @inline(__always)
    func bool(at offset: Int, _ step: PathStep?) throws -> Bool {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        guard head.majorType == .simple, head.information == 20 || head.information == 21 else {
            throw mismatch(Bool.self, head, at: offset, step)
        }
        return head.information == 21
    }

    @inline(__always)
    func string(at offset: Int, _ step: PathStep?) throws -> String {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        guard head.majorType == .text else { throw mismatch(String.self, head, at: offset, step) }
        return try reader.readText(head)
    }

    @inline(__always)
    func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int, _ step: PathStep?) throws -> T {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        guard let value = head.integer(type) else { throw notAnInteger(type, head, at: offset, step) }
        return value
    }

    @inline(__always)
    func double(at offset: Int, _ step: PathStep?, for type: Any.Type = Double.self) throws -> Double {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        guard let value = head.floatingPoint ?? head.integerAsDouble else {
            throw mismatch(type, head, at: offset, step)
        }
        return value
    }

    func float(at offset: Int, _ step: PathStep?) throws -> Float {
        let value = try double(at: offset, step, for: Float.self)
        let narrowed = Float(value)
        if narrowed.isInfinite, value.isFinite {
            throw doesNotFit("\(value)", in: Float.self, at: offset, step)
        }
        return narrowed
    }
}
