import Glibc

/// The tag that marks an item as secret.
package enum SecretTag {
    /// In IANA's registry of CBOR tags the number is in the range that is assigned to whoever asks first, and not assigned.
    package static let number: UInt64 = 38_771
    /// What is shown in place of a secret.
    package static let hidden = "••••••"

    /// Whether an encoded item holds a secret.
    ///
    /// Bytes that are not an item count as secret if they may hold the tag.
    package static func isIn(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            // Hardly any item has these two bytes, so the others are not read item by item.
            guard hasTagBytes(bytes) else { return false }
            var reader = CBORReader(bytes)
            do {
                return try reader.findSecret()
            } catch {
                return true
            }
        }
    }

    /// Whether the two bytes are anywhere with which each form of the tag's head ends.
    private static func hasTagBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (first, second) = (UInt8(number >> 8), UInt8(number & 0xff))
        var rest = bytes
        while let start = rest.baseAddress, let found = memchr(start, Int32(first), rest.count) {
            let next = UnsafeRawPointer(found) - start + 1
            guard next < rest.count else { return false }
            if rest[next] == second { return true }
            rest = UnsafeRawBufferPointer(rebasing: rest[next...])
        }
        return false
    }

    /// The error for a secret that is not a value of a type, without anything of the value.
    static func decodingError(_ type: Any.Type, at path: [any CodingKey]) -> DecodingError {
        let type = (type as? any HidingType.Type)?.hiddenType ?? type
        return .dataCorrupted(
            DecodingError.Context(
                codingPath: path, debugDescription: "The secret is not \(String.kind(of: type))."))
    }
}

/// A type that hides a value of another one, which an error names.
protocol HidingType {
    static var hiddenType: Any.Type { get }
}

extension CBORReader {
    /// Skips the tags before the next item that is none.
    ///
    /// - Returns: Whether one of them marks the item as secret.
    mutating func skipTags() throws(CBORError) -> Bool {
        var isSecret = false
        while try peek() >> 5 == CBORMajorType.tag.rawValue {
            if try readHead().argument == SecretTag.number { isSecret = true }
        }
        return isSecret
    }

    /// Whether the tag of secrets is anywhere in the items that are left. It reads one head after the other, at any depth.
    fileprivate mutating func findSecret() throws(CBORError) -> Bool {
        while !isAtEnd {
            let head = try readHead()
            switch head.majorType {
            case .tag where head.argument == SecretTag.number: return true
            case .bytes, .text: if !head.isIndefinite { _ = try take(head.argument) }
            case .tag, .unsigned, .negative, .array, .map, .simple: break
            }
        }
        return false
    }
}
