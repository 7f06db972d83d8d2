import CBOR
import Synchronization

/// The value of one entry: either a value that was set in this process, or bytes from the bus that are decoded on first
/// use.
package final class DependencyEntry: Sendable {
    private enum Content {
        case codable(any Codable & Sendable)
        /// A value that writes itself.
        case item(any CBORItem & Sendable)

        var value: any Codable & Sendable {
            switch self {
            case .codable(let value): value
            case .item(let value): value
            }
        }

        func encoded() throws -> [UInt8] {
            switch self {
            case .codable(let value): try CBOREncoder().encode(value)
            case .item(let value): try CBOREncoder().encode(value)
            }
        }
    }

    private struct State {
        var content: Content?
        var encoded: [UInt8]?
        var problem: String?
    }

    private let state: Mutex<State>

    init(_ value: any Codable & Sendable) {
        state = Mutex(State(content: .codable(value)))
    }

    init(item value: any CBORItem & Sendable) {
        state = Mutex(State(content: .item(value)))
    }

    package init(encoded: [UInt8]) {
        state = Mutex(State(encoded: encoded))
    }

    func value<Value: Codable & Sendable>(as type: Value.Type) -> Value? {
        value { bytes in
            let value = try CBORDecoder().decode(type, from: bytes)
            return (value, .codable(value))
        }
    }

    /// Returns a value that reads itself.
    func value<Value: CBORItem & Sendable>(asItem type: Value.Type) -> Value? {
        value { bytes in
            let value = try CBORDecoder().decode(type, from: bytes)
            return (value, .item(value))
        }
    }

    private func value<Value: Sendable>(decode: ([UInt8]) throws -> (Value, Content)) -> Value? {
        state.withLock { state in
            if let value = state.content?.value as? Value { return value }
            // The entry was set as a value of another type. It is read if its encoding can be decoded as this type.
            if state.encoded == nil { state.encoded = try? state.content?.encoded() }
            guard let encoded = state.encoded else { return nil }
            do {
                let (value, content) = try decode(encoded)
                state.content = content
                return value
            } catch {
                state.problem = "it is not a \(Value.self): \(String(explaining: error))"
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
            guard let content = state.content else { return [] }
            let encoded = try content.encoded()
            state.encoded = encoded
            return encoded
        }
    }
}
