import Bus
import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HeartbeatTests {
    /// Encodes a value through `Codable`, which this function alone knows of it.
    private func encoded(_ value: some Codable) throws -> [UInt8] { try CBOREncoder().encode(value) }

    @Test(arguments: [
        Heartbeat(received: 0), Heartbeat(received: .max, clock: 7),
        Heartbeat(received: 1 << 40, drops: PeerDrops(["b": 2, "a": 1])),
        Heartbeat(received: 5, drops: PeerDrops([:]), clock: .max),
    ])
    func `A heartbeat writes itself with the bytes of Codable, and reads them`(heartbeat: Heartbeat) throws {
        let bytes = try Frame(.heartbeat).encoded(payload: heartbeat)
        let frame = try Frame(bytes)
        #expect(try frame.payload.elementsEqual(encoded(heartbeat)))
        #expect(try frame.decodePayload(as: Heartbeat.self) == heartbeat)
    }

    @Test func `Fields in another order, and unknown ones, are read`() throws {
        var frame = Frame(.heartbeat)
        // {"clock": 9, "more": [], "received": 3}
        frame.payload =
            [0xA3, 0x65] + Array("clock".utf8) + [9, 0x64] + Array("more".utf8) + [0x80, 0x68]
            + Array("received".utf8) + [3]
        #expect(try frame.decodePayload(as: Heartbeat.self) == Heartbeat(received: 3, clock: 9))
    }
}
