/// Finds the coding key type that the standard library uses for dictionaries. The type has no public name.
enum DictionaryKeyType {
    /// The type's identity, found once by encoding a dictionary with a probe. It is nil if dictionaries do not use a
    /// keyed container.
    static let identifier: ObjectIdentifier? = {
        let observation = Observation()
        // This does not throw: the probe throws nothing, and an empty dictionary encodes no values.
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
            return KeyedEncodingContainer(KeyedEncoding<Key>(item: EncodedItem()))
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer {
            UnkeyedEncoding(item: EncodedItem())
        }

        func singleValueContainer() -> any SingleValueEncodingContainer {
            SingleValueEncoding(item: EncodedItem())
        }
    }
}
