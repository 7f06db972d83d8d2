/// Types whose `Codable` conformances use an encoder in different ways.
enum Shapes {
    struct Person: Codable, Hashable {
        var name: String
        var age: Int
        var score: Double
        var isActive: Bool
        var city: String
    }

    struct Optionals: Codable, Hashable {
        var number: Int?
        var text: String?
        var ratio: Float?
        var flag: Bool?
        var person: Person?
        var list: [Int?]
    }

    struct Team: Codable, Hashable {
        var lead: Person
        var members: [Person]
        var byRole: [String: Person]
        var matrix: [[Int]]
        var badge: [UInt8]
        var photo: CBORBytesHolder
    }

    struct CBORBytesHolder: Codable, Hashable {
        var content: [[UInt8]]
    }

    struct Integers: Codable, Hashable {
        var int: Int
        var int8: Int8
        var int16: Int16
        var int32: Int32
        var int64: Int64
        var uint: UInt
        var uint8: UInt8
        var uint16: UInt16
        var uint32: UInt32
        var uint64: UInt64

        static let smallest = Integers(
            int: .min, int8: .min, int16: .min, int32: .min, int64: .min,
            uint: .min, uint8: .min, uint16: .min, uint32: .min, uint64: .min)
        static let largest = Integers(
            int: .max, int8: .max, int16: .max, int32: .max, int64: .max,
            uint: .max, uint8: .max, uint16: .max, uint32: .max, uint64: .max)
    }

    indirect enum Page: Codable, Hashable {
        case home
        case account(id: Int, tab: String)
        case search(String, exact: Bool?)
        case stack([Page])
        case over(Page, page: Page)
    }

    enum Colour: String, Codable, Hashable { case red, green }

    struct Timestamp: Codable, Hashable {
        var seconds: Double

        init(seconds: Double) { self.seconds = seconds }

        init(from decoder: any Decoder) throws {
            seconds = try decoder.singleValueContainer().decode(Double.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(seconds)
        }
    }

    struct Empty: Codable, Hashable {}

    /// Nested containers that are written in turns.
    struct Interleaved: Codable, Hashable {
        var x: Int
        var y: [Int]
        var z: String

        enum CodingKeys: CodingKey { case position, list, z }
        enum PositionKeys: CodingKey { case x, again }

        init(x: Int, y: [Int], z: String) {
            self.x = x
            self.y = y
            self.z = z
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var position = container.nestedContainer(keyedBy: PositionKeys.self, forKey: .position)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try position.encode(x, forKey: .x)
            try container.encode(z, forKey: .z)
            for number in y { try list.encode(number) }
            var inner = list.nestedContainer(keyedBy: PositionKeys.self)
            try position.encode(y, forKey: .again)
            try inner.encode(x, forKey: .again)
            try inner.encode(z, forKey: .x)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let position = try container.nestedContainer(keyedBy: PositionKeys.self, forKey: .position)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            x = try position.decode(Int.self, forKey: .x)
            y = try (1..<(list.count ?? 0)).map { _ in try list.decode(Int.self) }
            z = try list.nestedContainer(keyedBy: PositionKeys.self).decode(String.self, forKey: .x)
        }
    }

    class Animal: Codable {
        var name: String

        init(name: String) { self.name = name }
    }

    /// Encodes its superclass under `super`.
    final class Dog: Animal {
        var tricks: [String]

        enum CodingKeys: CodingKey { case tricks }

        init(name: String, tricks: [String]) {
            self.tricks = tricks
            super.init(name: name)
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            tricks = try container.decode([String].self, forKey: .tricks)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(tricks, forKey: .tricks)
        }
    }

    /// Shares one map with its superclass.
    final class Cat: Animal {
        var lives: Int

        enum CodingKeys: CodingKey { case lives }

        init(name: String, lives: Int) {
            self.lives = lives
            super.init(name: name)
        }

        required init(from decoder: any Decoder) throws {
            lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lives, forKey: .lives)
        }
    }

    static let ada = Person(name: "Ada Lovelace", age: 36, score: 1815.12, isActive: true, city: "London")
    static let team = Team(
        lead: ada,
        members: [ada, Person(name: "Zoë", age: -1, score: .infinity, isActive: false, city: "")],
        byRole: ["analyst": ada, "Ω": ada, "": ada],
        matrix: [[1, 2], [], [300]],
        badge: [0, 255],
        photo: CBORBytesHolder(content: [[], [1]]))
}
