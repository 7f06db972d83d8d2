import Bus
import PeerLink
import TestKit
import Testing
import ZeroMQ

/// A link has two flows, each a connection of its own: one can die alone.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LinkFlowTests {
    private func withLink(_ body: @MainActor (FakeHost, Link) async throws -> Void) async throws {
        let context = SocketContext()
        let host = try FakeHost(heartbeat: 400)
        let link = Link(LinkConfiguration(endpoint: host.endpoint, role: .plugin, peer: "victim", context: context))
        link.start()
        defer {
            link.stop()
            host.close()
            #expect(host.context.openSockets == 0)
        }
        try await host.until("the link is ready") { link.isReady }
        try await body(host, link)
    }

    @Test("a publisher that is not heard is subscribed to again while the bus goes on, and what was missed comes")
    func publisherAlone() async throws {
        try await withLink { host, link in
            var losses: [LinkMachine.Loss] = []
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            events.onLost = { losses.append($0) }
            let before = host.subscriptions
            // Its reply says more than the container knows: it waits for the change, which the dead flow has lost.
            host.repliedRevision = 2
            host.newestRevision = 2
            var request = Frame(.request)
            request.name = "echo"
            let bytes = request.encoded()
            let asking = Task { try await link.request(bytes, message: "echo") }
            let reply = try await asking.value
            #expect(reply.elementsEqual([0xA0]))
            #expect(host.subscriptions > before)
            #expect(losses == [])
            #expect(link.replica.revision == 2)
        }
    }

    @Test("each answered heartbeat tells the host's clock anew: two machines' clocks drift apart")
    func clock() async throws {
        try await withLink { host, link in
            var frame = Frame(.request)
            frame.deadline = 61_000_000
            #expect(try #require(link.timeLeft(of: frame)) > .seconds(30))
            // A minute has passed there, and hardly any time here.
            host.time = 60_000_000
            try await host.until("it is known") { link.timeLeft(of: frame).map { $0 < .seconds(5) } == true }
        }
    }

    @Test("a publisher that stays silent ends the link, which says why")
    func publisherGone() async throws {
        try await withLink { host, link in
            var losses: [LinkMachine.Loss] = []
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            events.onLost = { losses.append($0) }
            host.isPublishing = false
            try await host.until("the link is given up") { !losses.isEmpty }
            guard case .publisherSilent = losses[0] else { throw NotReached(description: "\(losses)") }
            host.isPublishing = true
            try await host.until("it is there again") { link.isReady }
        }
    }

    @Test("a bus that is not heard ends the link, whatever the publisher says")
    func busAlone() async throws {
        try await withLink { host, link in
            var losses: [LinkMachine.Loss] = []
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            events.onLost = { losses.append($0) }
            let hellos = host.hellos
            host.isAnswering = false
            let end = ContinuousClock.now + .seconds(20)
            while losses.isEmpty, ContinuousClock.now < end {
                host.sendBeacon()
                try await host.loopTurn()
            }
            guard case .silent = losses.first else { throw NotReached(description: "\(losses)") }
            host.isAnswering = true
            try await host.until("it says hello again") { host.hellos > hellos && link.isReady }
        }
    }
}
