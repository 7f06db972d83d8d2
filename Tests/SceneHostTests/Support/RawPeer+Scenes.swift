import Bus
import TestKit

extension RawPeer {
    /// Replies to a request of the host.
    /// - Parameter payload: The encoded value; an empty map for a reply without a value.
    func reply(to request: Frame, with payload: [UInt8] = [0xA0]) throws {
        var reply = Frame(.reply)
        reply.id = request.id
        reply.payload = payload[...]
        try send(reply.encoded())
    }

    /// Confirms the next scene that the host wants to be made.
    /// - Returns: The host's request.
    @discardableResult
    func makeScene() async throws -> Frame {
        let request = try await next("sceneConnect")
        try reply(to: request)
        return request
    }
}

extension LiveClient {
    /// Opens a session of the only configuration, whose scene a raw worker makes.
    func open(at worker: RawPeer) async throws -> String {
        let opening = Task { try await open() }
        try await worker.makeScene()
        return try await opening.value
    }
}
