/// The place of a value or container in the input's structure, with methods that read values there.
struct DecodingLocation {
    let state: DecodingState
    var codingPath: [any CodingKey] = []

    func path(adding step: PathStep?) -> [any CodingKey] { codingPath + (step.map { [$0] } ?? []) }

    /// The location one step further.
    func advanced(by step: PathStep?) -> DecodingLocation {
        DecodingLocation(state: state, codingPath: path(adding: step))
    }

    // MARK: Values

    func isNull(at offset: Int) throws -> Bool {
        var reader = state.reader(at: offset)
        return try reader.readHeadSkippingTags().isNull
    }

    func bool(at offset: Int, _ step: PathStep?) throws -> Bool {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        guard head.majorType == .simple, head.information == 20 || head.information == 21 else {
            throw mismatch(Bool.self, head, at: offset, step)
        }
        return head.information == 21
    }

    func string(at offset: Int, _ step: PathStep?) throws -> String {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        guard head.majorType == .text else { throw mismatch(String.self, head, at: offset, step) }
        return try reader.readText(head)
    }

    func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int, _ step: PathStep?) throws -> T {
        var reader = state.reader(at: offset)
        let head = try reader.readHeadSkippingTags()
        guard let value = head.integer(type) else { throw notAnInteger(type, head, at: offset, step) }
        return value
    }

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
