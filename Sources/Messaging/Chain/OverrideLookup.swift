/// Finds out whether a class overrides ``Responder/coordinatingResponder``.
///
/// Swift has no function for that. A class's metadata contains a table of its methods, in which a subclass has the same
/// address as its superclass unless it overrides the method. The place of the property in the table is where a class
/// that overrides only the property differs from one that overrides nothing.
@MainActor
enum OverrideLookup {
    /// Returns whether a class uses the same implementation of ``Responder/coordinatingResponder`` as another one, which
    /// is the same class or one above it; `false` if that is unknown.
    static func isSame(_ type: Responder.Type, as base: Responder.Type) -> Bool {
        guard let place, place < words(of: type).count, place < words(of: base).count else { return false }
        return words(of: type)[place] == words(of: base)[place]
    }

    /// The place of the property in the metadata of all responders; `nil` if it cannot be determined.
    private static let place: Int? = {
        let (plain, other, overriding) = (words(of: Plain.self), words(of: Other.self), words(of: Overriding.self))
        guard plain.count == other.count, plain.count == overriding.count else { return nil }
        // Words that differ between two classes that override nothing, such as their names, say nothing.
        let places = plain.indices.filter { plain[$0] == other[$0] && plain[$0] != overriding[$0] }
        return places.count == 1 ? places[0] : nil
    }()

    private class Plain: Responder {}
    private class Other: Responder {}
    private class Overriding: Responder {
        override var coordinatingResponder: Responder? { nil }
    }

    /// The words of a class's metadata from its address on; none if their number is not credible.
    ///
    /// The layout is `TargetClassMetadata` of the Swift runtime (include/swift/ABI/Metadata.h), without Objective-C: two
    /// words, then five numbers of 4, 4, 4, 2 and 2 bytes, then the size of the whole and the offset of the address in it.
    private static func words(of type: Responder.Type) -> UnsafeBufferPointer<UInt> {
        // A metatype of a class is the address of its metadata, which is never freed.
        let metadata = unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
        let size = metadata.load(fromByteOffset: 32, as: UInt32.self)
        let before = metadata.load(fromByteOffset: 36, as: UInt32.self)
        guard before < size, size < 1 << 20 else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: metadata, count: Int(size - before)).bindMemory(to: UInt.self)
    }
}
