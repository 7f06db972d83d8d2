import CBOR

import Messaging

/// Types whose `Codable` conformances use different parts of a decoder.
enum Shapes {
    @CBORItem struct Scalars: Codable {
        var bool: Bool
        var double: Double
        var float: Float
        var string: String
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
    }

    struct Optionals: Codable {
        var number: Int?
        var text: String?
        var ratio: Float?
        var flag: Bool?
        var colour: Colour?
        var list: [Int?]?
        var table: [String: Int?]?
    }

    enum Colour: String, CBORItem { case red, green }

    /// Writes and reads itself, with parts that are only `Codable`.
    @CBORItem struct Order: Codable {
        var id: UInt32
        var text: String
        var note: String?
        var twice: Int??
        var colour: Colour?
        var bytes: [UInt8]
        var lines: [Line]
        var table: [String: Int]?
        var page: Page?
        var aNameThatIsTooLongForAShortHead: Bool
        var orders: [Order]
    }

    @CBORItem struct Line: Codable {
        var count: Int8
        var price: Double?
    }

    indirect enum Page: Codable {
        case home
        case account(id: Int, tab: String)
        case search(String, exact: Bool?)
        case stack([Page])
        case over(Page, page: Page)
    }

    final class Tree: Codable {
        var name: String
        var children: [Tree]
        var byName: [String: Tree]?
    }

    /// A value that is passed on without decoding.
    struct Envelope: Codable {
        var address: String
        var raw: CBORRaw
        var value: CBORValue?
        var bytes: CBORBytes
        var list: [CBORBytes]?
    }

    /// Nested containers that are read alternately.
    struct Interleaved: Codable {
        var x: Int
        var y: [Int]
        var z: String
        var isNull: Bool

        enum CodingKeys: CodingKey { case position, list, z }
        enum PositionKeys: CodingKey { case x, again }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let position = try container.nestedContainer(keyedBy: PositionKeys.self, forKey: .position)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            isNull = try position.decodeNil(forKey: .again)
            x = try position.decode(Int.self, forKey: .x)
            y = []
            while !list.isAtEnd, list.currentIndex + 1 < list.count ?? 0 { y.append(try list.decode(Int.self)) }
            let last = try list.nestedContainer(keyedBy: PositionKeys.self)
            z = try last.contains(.x) ? last.decode(String.self, forKey: .x) : "\(last.allKeys.count)"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var position = container.nestedContainer(keyedBy: PositionKeys.self, forKey: .position)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try position.encode(x, forKey: .x)
            try container.encode(z, forKey: .z)
            for number in y { try list.encode(number) }
            var last = list.nestedContainer(keyedBy: PositionKeys.self)
            if isNull { try position.encodeNil(forKey: .again) } else { try position.encode(y, forKey: .again) }
            try last.encode(z, forKey: .x)
        }
    }

    class Animal: Codable {
        var name: String
    }

    /// Encodes its superclass under the key `super`.
    final class Dog: Animal {
        var tricks: [String]

        enum CodingKeys: CodingKey { case tricks }

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

    /// Shares one map with its superclass, and decodes each element of a list with a `superDecoder()`.
    final class Cat: Animal {
        var lives: Int
        var kittens: [Animal]

        enum CodingKeys: CodingKey { case lives, kittens }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            lives = try container.decode(Int.self, forKey: .lives)
            kittens = []
            var list = try container.nestedUnkeyedContainer(forKey: .kittens)
            while !list.isAtEnd {
                if try list.decodeNil() { continue }
                kittens.append(try Animal(from: list.superDecoder()))
            }
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lives, forKey: .lives)
            var list = container.nestedUnkeyedContainer(forKey: .kittens)
            for kitten in kittens { try kitten.encode(to: list.superEncoder()) }
        }
    }
}
