/// Measures the memory that decoding uses, if the process counts allocations.
package struct MemoryMeter: Sendable {
    private let begin: @Sendable () -> Void
    private let peak: @Sendable () -> Int

    /// Measures nothing, so no amount of memory is a violation.
    package static let none = MemoryMeter(begin: {}, peak: { 0 })

    /// - Parameters:
    ///   - begin: starts a measurement.
    ///   - peak: returns the peak of the bytes in use since the start, minus the bytes in use at the start.
    package init(begin: @escaping @Sendable () -> Void, peak: @escaping @Sendable () -> Int) {
        self.begin = begin
        self.peak = peak
    }

    /// The memory allowed for any input: an error with its description, or a table for a few keys.
    static let base = 16 << 10
    /// The memory allowed for each byte of input. An empty array is one byte of input and an element of its parent. A
    /// one-byte key of a map is in several tables while the map is checked for duplicate keys.
    private var factor = 128

    /// Returns a meter for arrays of values that are a byte of input each, such as optionals without a value.
    /// - Parameter stride: the memory of such a value. A growing array needs up to three times as much while its elements
    ///   are moved.
    func forElements(of stride: Int) -> MemoryMeter {
        var meter = self
        meter.factor = max(factor, 3 * stride)
        return meter
    }

    /// Decodes, and checks that the memory is proportional to the input's length, also when decoding fails.
    /// - Throws: ``Violation``; the error of the body.
    func bounded<Result>(_ count: Int, _ body: () throws -> Result) throws -> Result {
        let limit = Self.base + factor * count
        begin()
        var result = Swift.Result(catching: body)
        if peak() > limit {
            // The first run also counts memory that the runtime never releases, such as type metadata. Measure again.
            begin()
            result = Swift.Result(catching: body)
            let taken = peak()
            try require(taken <= limit, "\(count) bytes of input used \(taken) bytes of memory; the limit is \(limit)")
        }
        return try result.get()
    }
}
