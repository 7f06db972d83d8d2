import CBOR
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct CarriedItemTests {
    /// Returns a byte string whose encoding has the given number of bytes.
    private func item(of size: Int) throws -> CBORRaw {
        let count = size - 5
        let head = [0x5A] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
        return try CBORRaw(head + [UInt8](repeating: 0, count: count))
    }

    private func size(state: CBORRaw?, links: [CBORRaw]) throws -> Int {
        let half = CarriedItem.maximumNames / 2
        let (role, configuration) = (String(repeating: "r", count: half), String(repeating: "c", count: half))
        #expect(CarriedItem.canCarry(role: role, configuration: configuration))
        #expect(!CarriedItem.canCarry(role: role + "r", configuration: configuration))
        var frame = Frame(.request)
        frame.name = SceneMessagesList.sceneConnect.name
        frame.session = String(repeating: "s", count: 255)
        return try frame.encoded(
            payload: SceneMessagesList.sceneConnect(
                session: frame.session, role: role, configuration: configuration, token: .max, state: state,
                links: links)
        ).count
    }

    @Test func `The largest accepted state fits into the message to a worker, and a larger one is refused`() throws {
        let limit = Frame.maximumMade - (16 << 10)
        let state = try item(of: limit)
        try CarriedItem.state.check(state)
        try Frame.checkSize(of: try size(state: state, links: []), .request, message: "sceneConnect")
        let error = try #require(throws: CBORError.self) { try CarriedItem.state.check(try item(of: limit + 1)) }
        #expect("\(error)".contains("\(limit)"))
    }

    @Test func `Links that do not fit beside the state are left out, and the others are kept`() throws {
        let (large, small) = (try item(of: 8 << 20), try item(of: 1000))
        try CarriedItem.link.check(large)
        #expect(CarriedItem.links([large, small], beside: nil) == [large, small])
        let state = try item(of: 9 << 20)
        #expect(CarriedItem.links([small, large, small], beside: state) == [small, small])
        let fitting = CarriedItem.links([large, small], beside: try item(of: (8 << 20) - 20_000))
        #expect(fitting == [large, small])
        let size = try size(state: try item(of: (8 << 20) - 20_000), links: fitting)
        try Frame.checkSize(of: size, .request, message: "sceneConnect")
    }
}
