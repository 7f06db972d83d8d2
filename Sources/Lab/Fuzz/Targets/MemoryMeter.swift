/// Measures the memory that decoding takes, where something in the process can count it.
package struct MemoryMeter: Sendable {
    private let begin: @Sendable () -> Void
    private let peak: @Sendable () -> Int

    /// Measures nothing: nothing is too much.
    package static let none = MemoryMeter(begin: {}, peak: { 0 })

    /// - Parameters:
    ///   - begin: starts a measurement.
    ///   - peak: the most bytes in use at a time since, beyond those that were in use when it began.
    package init(begin: @escaping @Sendable () -> Void, peak: @escaping @Sendable () -> Int) {
        self.begin = begin
        self.peak = peak
    }

    /// What any decoding may take, whatever the input: an error and its description, a table for a few keys.
    static let base = 16 << 10
    /// What decoding may take for each byte of input. An empty array is one byte, and a place of its own in its parent; a
    /// one-byte key of a map stands in several tables while the map is looked through for one that stands there twice.
    static let factor = 128

    /// Decodes, and checks that it took no more memory than the input's length explains, whether it succeeded or not.
    /// - Throws: ``Violation``, and what the body throws.
    func bounded<Result>(_ count: Int, _ body: () throws -> Result) throws -> Result {
        let limit = Self.base + Self.factor * count
        begin()
        var result = Swift.Result(catching: body)
        if peak() > limit {
            // The first time counts what the runtime keeps for good, such as the metadata of types.
            begin()
            result = Swift.Result(catching: body)
            let taken = peak()
            try require(taken <= limit, "\(count) bytes of input took \(taken) bytes of memory; at most \(limit)")
        }
        return try result.get()
    }
}
