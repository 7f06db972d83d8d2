/// A decoder that takes bytes from outside, and what must hold for every input.
///
/// The fuzzer and the replay of the corpus in the tests run the same code. A property that does not hold is thrown as
/// ``Violation``; a trap, a hang and too much memory are found by whoever runs it.
package struct FuzzTarget: Sendable {
    /// Its name on the command line, and that of its folder of inputs.
    package let name: String
    private let body: @Sendable ([UInt8], MemoryMeter) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable ([UInt8], MemoryMeter) throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Decodes an input and checks every property.
    /// - Parameter memory: how to measure what decoding takes.
    /// - Throws: ``Violation``; any other error is one that a decoder was not expected to throw.
    package func check(_ input: [UInt8], memory: MemoryMeter = .none) throws {
        try body(input, memory)
    }

    package static let all: [FuzzTarget] = [.frame, .payload, .replica, .link, .cbor, .codable, .json]
}
