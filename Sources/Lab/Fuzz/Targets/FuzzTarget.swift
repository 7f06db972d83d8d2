/// A decoder of external input, with the properties that must hold for every input.
///
/// The fuzzer and the tests, which replay the corpus, run the same code. A violated property is thrown as
/// ``Violation``. Traps, hangs and excessive memory use are detected by the runner.
package struct FuzzTarget: Sendable {
    /// The name on the command line, and the name of the folder of inputs.
    package let name: String
    private let body: @Sendable ([UInt8], MemoryMeter) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable ([UInt8], MemoryMeter) throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Decodes an input and checks every property.
    /// - Parameter memory: measures the memory that decoding uses.
    /// - Throws: ``Violation``; any other error means that a decoder has thrown an unexpected error.
    package func check(_ input: [UInt8], memory: MemoryMeter = .none) throws {
        try body(input, memory)
    }

    package static let all: [FuzzTarget] = [
        .frame, .message, .payload, .replica, .link, .cbor, .codable, .content, .json, .keys, .invitation,
        .authentication,
    ]
}
