package import Bus
package import CBOR
import PeerLink

/// Prints a value as one line of JSON.
package func printJSON(_ value: some Encodable) throws {
    printJSON(try CBORValue(encoding: value))
}

/// Prints a value as one line of JSON. Control characters in strings are written as escapes, and whole numbers that most
/// readers of JSON would round are written as strings.
package func printJSON(_ value: CBORValue) {
    StandardOutput.write(value.withExactNumbers.json.printableJSON)
}

/// Prints the status of a session as one line of JSON, with its fencing token as a string.
package func printJSON(_ session: SessionStatus) throws {
    printJSON(try CBORValue(encoding: session).withTokenAsText)
}

extension CBORValue {
    /// Makes the list of sessions that is printed as JSON, each with its fencing token as a string.
    package init(listing sessions: [SessionStatus]) throws {
        self = .array(try sessions.map { try CBORValue(encoding: $0).withTokenAsText })
    }

    /// The largest number up to which a `Double` represents each whole number. Most readers of JSON use one.
    private static let maximumExact: UInt64 = 1 << 53

    /// The value with each whole number beyond ±2^53 as a text.
    package var withExactNumbers: CBORValue {
        switch self {
        case .int(let number): number.magnitude > Self.maximumExact ? .string("\(number)") : self
        case .unsigned(let number): number > Self.maximumExact ? .string("\(number)") : self
        case .array(let elements): .array(elements.map(\.withExactNumbers))
        case .map(let map):
            .map(CBORMap(map.entries.map { CBORMap.Pair(key: $0.key, value: $0.value.withExactNumbers) }))
        default: self
        }
    }

    /// The status of a session with its token as a text. Tokens are larger than 2^53 as soon as a scene has run, and a field
    /// should not change its type.
    fileprivate var withTokenAsText: CBORValue {
        guard case .map(var map) = self, let token = map["token"] else { return self }
        map["token"] = .string(token.json)
        return .map(map)
    }
}
