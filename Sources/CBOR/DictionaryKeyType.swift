/// Finds out which coding key type the standard library uses for dictionaries, a type without a public name.
enum DictionaryKeyType {
    /// The type's identity, learnt once by watching a dictionary encode itself; nil if it does not use a keyed container.
    static let identifier: ObjectIdentifier? = {
        let observation = Observation()
        // The probe itself throws nothing; an empty dictionary has nothing else that could.
        try? [String: Int]().encode(to: Probe(observation: observation))
        return observation.identifier
    }()

    private final class Observation {
        var identifier: ObjectIdentifier?
    }

    private struct Probe: Encoder {
        let observation: Observation

        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            observation.identifier = ObjectIdentifier(type)
            return KeyedEncodingContainer(KeyedEncoding<Key>(state: scratch, serial: 0))
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer {
            UnkeyedEncoding(state: scratch, serial: 0)
        }

        func singleValueContainer() -> any SingleValueEncodingContainer {
            SingleValueEncoding(state: scratch, serial: 0)
        }

        private var scratch: EncodingState { EncodingState(CBORWriter()) }
    }
}
