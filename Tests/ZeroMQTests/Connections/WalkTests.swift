import CConnections
import Testing

/// The walk over what arrives at the bus, before libzmq reads it.
@Suite(.timeLimit(.minutes(5)))
struct WalkTests {
    private static let pieces = [1, 2, 3, 7, 64, 65, 1000, 1 << 20]

    private func greeting(version: UInt8 = 3) -> [UInt8] {
        [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, version, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48)
    }

    private func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8) + [0, 0, 0, UInt8(value.count)] + value
    }

    private func ready(_ properties: [UInt8], flags: UInt8 = 4) -> [UInt8] {
        let body = [5] + Array("READY".utf8) + properties
        guard flags & 2 != 0 else { return [flags, UInt8(body.count)] + body }
        return [flags, 0, 0, 0, 0, 0, 0, 0, UInt8(body.count)] + body
    }

    private func message(_ size: Int, flags: UInt8 = 0) -> [UInt8] {
        // Its bytes look like the head of a message of several parts.
        let body = [UInt8](repeating: 1, count: size)
        guard size > 255 else { return [flags, UInt8(size)] + body }
        let length: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }
        return [flags | 2] + length + body
    }

    private var dealer: [UInt8] { property("Socket-Type", Array("DEALER".utf8)) }

    /// Returns what is wrong with bytes that arrive in pieces of a size.
    private func wrong(with bytes: [UInt8], inPiecesOf size: Int) -> scenebus_wrong {
        var walk = scenebus_walk()
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            let wrong = scenebus_walk_over(&walk, piece, piece.count)
            if wrong != SCENEBUS_NOTHING_WRONG { return wrong }
        }
        return SCENEBUS_NOTHING_WRONG
    }

    @Test(arguments: pieces)
    func `A peer that sets no routing id may send messages of one part, however they are cut`(size: Int) {
        let empty = property("Identity", [])
        let names = property("", [7]) + property("Identities", [1]) + property("Identitx", [1])
        var messages = [0, 1, 255, 256, 70_000].flatMap { message($0) }
        messages += message(3, flags: 4) + message(300, flags: 4)
        for properties in [[], dealer, dealer + empty, empty + dealer + names] {
            for flags in [UInt8(4), 6, 0] {
                let bytes = greeting() + ready(properties, flags: flags) + messages
                #expect(wrong(with: bytes, inPiecesOf: size) == SCENEBUS_NOTHING_WRONG)
            }
        }
    }

    @Test(arguments: pieces)
    func `A routing id is found wherever it is in the handshake`(size: Int) {
        let name = property("Identity", [0, 1, 2, 3, 4])
        let properties = [
            name, dealer + name, name + dealer, property("Identity", []) + name, property("identity", [1]),
            property("X", []) + name,
        ]
        for properties in properties {
            for flags in [UInt8(4), 6, 0] {
                let bytes = greeting() + ready(properties, flags: flags)
                #expect(wrong(with: bytes, inPiecesOf: size) == SCENEBUS_SETS_ROUTING_ID)
            }
        }
        // After the handshake, the same bytes are a message.
        let bytes = greeting() + ready(dealer) + ready(name, flags: 0)
        #expect(wrong(with: bytes, inPiecesOf: size) == SCENEBUS_NOTHING_WRONG)
    }

    @Test(arguments: pieces)
    func `A message of several parts is found at its first part`(size: Int) {
        for parts in [message(0, flags: 1), message(255, flags: 1), message(256, flags: 1), message(5, flags: 5)] {
            let bytes = greeting() + ready(dealer) + message(70_000) + message(10)
            #expect(wrong(with: bytes + parts, inPiecesOf: size) == SCENEBUS_SEVERAL_PARTS)
            #expect(wrong(with: bytes + parts.prefix(1), inPiecesOf: size) == SCENEBUS_SEVERAL_PARTS)
        }
        #expect(wrong(with: greeting() + ready(dealer, flags: 5), inPiecesOf: size) == SCENEBUS_SEVERAL_PARTS)
    }

    @Test(arguments: pieces)
    func `What is not ZMTP 3 is found in the greeting`(size: Int) {
        var unsigned = greeting()
        unsigned[9] = 0x7E
        for bytes in [greeting(version: 0), greeting(version: 2), unsigned, [1], [5, 0, 1, 2, 3, 4]] {
            #expect(wrong(with: bytes, inPiecesOf: size) == SCENEBUS_OTHER_ZMTP)
        }
        #expect(wrong(with: greeting(version: 4), inPiecesOf: size) == SCENEBUS_NOTHING_WRONG)
    }
}
