import CBOR
import Synchronization

/// The value of one entry: either a value that was set in this process, or bytes from the bus that are decoded on first
/// use.
package final class DependencyEntry: Sendable {
    private struct State {
        var value: (any Codable & Sendable)?
        var encoded: [UInt8]?
        var problem: String?
    }

    private let state: Mutex<State>

    init(_ value: any Codable & Sendable) {
        state = Mutex(State(value: value))
    }

    package init(encoded: [UInt8]) {
        state = Mutex(State(encoded: encoded))
    }

    func value<Value: Codable & Sendable>(as type: Value.Type) -> Value? {
        state.withLock { state in
            if let value = state.value as? Value { return value }
            // The entry was set as a value of another type. It is read if its encoding can be decoded as this type.
            if state.encoded == nil, let value = state.value { state.encoded = try? CBOREncoder().encode(value) }
            guard let encoded = state.encoded else { return nil }
            do {
                let value = try CBORDecoder().decode(type, from: encoded)
                state.value = value
                return value
            } catch {
                state.problem = "it is not a \(type): \(String(explaining: error))"
                return nil
            }
        }
    }

    var problem: String? {
        state.withLock { $0.problem }
    }

    /// The encoded value, as it is sent over the bus.
    package func encoded() throws -> [UInt8] {
        try state.withLock { state in
            if let encoded = state.encoded { return encoded }
            guard let value = state.value else { return [] }
            let encoded = try CBOREncoder().encode(value)
            state.encoded = encoded
            return encoded
        }
    }
}
