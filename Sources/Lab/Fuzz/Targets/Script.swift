/// Reads an input as a script: a sequence of actions with their numbers. After its end, every value is 0.
struct Script {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

    /// A small number, or one of the numbers that cause overflow.
    mutating func number() -> UInt64 {
        switch byte() {
        case 255: .max
        case 254: .max - 1
        case 253: 1 << 63
        case 252: 1 << 63 - 1
        case 251: 1 << 50
        case 250: 1 << 32
        case let small: UInt64(small)
        }
    }

    /// Bytes, preceded by their count.
    mutating func bytes() -> ArraySlice<UInt8> {
        let count = byte()
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
