import SeededRandom
import CBOR
import Testing

/// Nested containers, written in random order and compared with a model of their content.
@Suite(.timeLimit(.minutes(5)))
struct NestedContainerTests {
    struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    final class Model {
        enum Content {
            case value(CBORValue)
            case map([(key: String, value: Model)])
            case array([Model])
        }
        var content: Content

        init(_ content: Content) { self.content = content }

        var value: CBORValue {
            switch content {
            case .value(let value): value
            case .map(let entries):
                .map(CBORMap(entries.map { CBORMap.Pair(key: .string($0.key), value: $0.value.value) }))
            case .array(let elements): .array(elements.map(\.value))
            }
        }

        func append(_ model: Model, key: String) {
            switch content {
            case .value: break
            case .map(let entries): content = .map(entries + [(key, model)])
            case .array(let elements): content = .array(elements + [model])
            }
        }
    }

    enum Container {
        case keyed(KeyedEncodingContainer<AnyKey>)
        case unkeyed(any UnkeyedEncodingContainer)
    }

    /// Encodes random content, and records its meaning in `model`.
    final class Subject: Encodable {
        let seed: UInt64
        let model = Model(.map([]))

        let depth: Int

        init(seed: UInt64, depth: Int = 0) {
            self.seed = seed
            self.depth = depth
        }

        func encode(to encoder: any Encoder) throws {
            var generator = SeededGenerator(seed: seed)
            var open: [(container: Container, model: Model)] = [
                (.keyed(encoder.container(keyedBy: AnyKey.self)), model)
            ]
            for step in 0..<Int.random(in: 1...120, using: &generator) {
                let place = Int.random(in: 0..<open.count, using: &generator)
                let operation = Int.random(in: 0..<7, using: &generator)
                let key = AnyKey(stringValue: "\(step)")
                let (container, parent) = open[place]
                let child: Model
                switch container {
                case .keyed(var keyed):
                    switch operation {
                    case 0:
                        child = Model(.map([]))
                        open.append((.keyed(keyed.nestedContainer(keyedBy: AnyKey.self, forKey: key)), child))
                    case 1:
                        child = Model(.array([]))
                        open.append((.unkeyed(keyed.nestedUnkeyedContainer(forKey: key)), child))
                    case 2:
                        child = Model(.map([]))
                        let inner = keyed.superEncoder(forKey: key)
                        open.append((.keyed(inner.container(keyedBy: AnyKey.self)), child))
                    case 3:
                        guard depth < 2 else { continue }
                        let nested = Subject(seed: generator.next(), depth: depth + 1)
                        try keyed.encode(nested, forKey: key)
                        child = nested.model
                    default:
                        child = Model(.value(.int(Int64(step))))
                        try keyed.encode(step, forKey: key)
                    }
                case .unkeyed(var unkeyed):
                    switch operation {
                    case 0:
                        child = Model(.map([]))
                        open.append((.keyed(unkeyed.nestedContainer(keyedBy: AnyKey.self)), child))
                    case 1, 2:
                        child = Model(.array([]))
                        let inner = operation == 1 ? unkeyed.nestedUnkeyedContainer() : nil
                        let container = inner ?? unkeyed.superEncoder().unkeyedContainer()
                        open.append((.unkeyed(container), child))
                    default:
                        child = Model(.value("element \(step)"))
                        try unkeyed.encode("element \(step)")
                    }
                }
                parent.append(child, key: key.stringValue)
            }
        }
    }

    @Test("200 random structures are encoded as in the model")
    func random() throws {
        for seed in 0..<200 {
            let subject = Subject(seed: UInt64(seed))
            let encoded = try CBOREncoder().encode(subject)
            let limits = CBORLimits(maximumDepth: 256)
            #expect(try CBORValue(decoding: encoded, limits: limits) == subject.model.value)
        }
    }
}
