import Messaging
import Bus
import PeerLink
import TestKit
import Testing
import ZeroMQ

/// Runs a body with a fake host, a link to it that has not been started, and the link's events. The link is stopped
/// afterwards, and must leave no socket.
@MainActor
func withUnstartedLink(
    role: PeerRole = .worker, _ body: @MainActor (FakeHost, Link, LinkEvents) async throws -> Void
) async throws {
    let context = SocketContext()
    let host = try FakeHost()
    var configuration = LinkConfiguration(endpoint: host.endpoint, role: role, peer: "wall", context: context)
    // However long a busy machine takes.
    configuration.requestTimeout = .seconds(3600)
    configuration.machine.answerTimeout = .seconds(3600)
    let link = Link(configuration)
    let events = LinkEvents(link)
    defer {
        withExtendedLifetime(events) {}
        link.stop()
        host.close()
        #expect(context.openSockets == 0)
    }
    try await body(host, link, events)
}
