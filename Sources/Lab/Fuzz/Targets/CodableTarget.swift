import CBOR

extension FuzzTarget {
    /// CBOR decoded as typed values. The first byte selects the type; the rest is the item.
    static let codable = FuzzTarget("codable") { input, memory in
        guard let first = input.first else { return }
        try shapes[Int(first) % shapes.count](Array(input.dropFirst()), memory)
    }

    private typealias Check = @Sendable ([UInt8], MemoryMeter) throws -> Void

    private static func check<Value: Codable & SendableMetatype>(_ type: Value.Type) -> Check {
        { _ = try roundTrip(type, from: $0, $1) }
    }

    /// - Parameters:
    ///   - readsAll: whether the type reads itself from each item that `Codable` reads.
    ///   - stride: the memory of an element that may be a byte of input; 0 if it is small.
    private static func checkItem<Value: CBORItem & SendableMetatype>(
        _ type: Value.Type, readsAll: Bool = true, stride: Int = 0
    ) -> Check {
        { input, memory in
            let memory = memory.forElements(of: stride)
            try roundTripItem(type, from: input, readsAll: readsAll, memory)
        }
    }

    // Append new types at the end: kept inputs select a type by its index.
    private static let shapes: [Check] = [
        check(Shapes.Scalars.self),
        check(Shapes.Optionals.self),
        check(Shapes.Page.self),
        check(Shapes.Tree.self),
        check(Shapes.Interleaved.self),
        check(Shapes.Dog.self),
        check(Shapes.Cat.self),
        check(Shapes.Envelope.self),
        check([String: Int].self),
        check([Int: [Double]].self),
        check([[Float?]].self),
        check([UInt8].self),
        check([CBORRaw].self),
        check([String: CBORValue].self),
        check(Double.self),
        check(UInt64?.self),
        check([Shapes.Colour].self),
        checkItem(Shapes.Order.self),
        checkItem([Shapes.Order?].self, stride: MemoryLayout<Shapes.Order?>.stride),
        checkItem(Shapes.Scalars.self),
        checkItem([[UInt8]].self),
        checkItem([Float].self),
        checkItem(String.self),
        // An optional does not read itself from an item with a tag, which may be around a null.
        checkItem([CBORRaw?].self, readsAll: false),
        checkItem(Float.self),
    ]
}
