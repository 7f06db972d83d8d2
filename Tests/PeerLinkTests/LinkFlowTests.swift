import Messaging
import Bus
import PeerLink
import TestKit
import Testing
import ZeroMQ

/// A link has two flows, the bus and the publisher, each with its own connection. Either can fail alone.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LinkFlowTests {
    private func withLink(_ body: @MainActor (FakeHost, Link) async throws -> Void) async throws {
        let context = SocketContext()
        let host = try FakeHost(heartbeat: 400)
        var configuration = LinkConfiguration(
            endpoint: host.endpoint, role: .plugin, peer: "victim", context: context)
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        link.start()
        defer {
            link.stop()
            host.close()
            #expect(host.context.openSockets == 0)
        }
        try await host.until("the link is ready") { link.isReady }
        try await body(host, link)
    }

    @Test("A silent publisher is subscribed to again while the bus works, and the missed changes arrive")
    func publisherAlone() async throws {
        try await withLink { host, link in
            var losses: [LinkMachine.Loss] = []
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            events.onLost = { losses.append($0) }
            var request = Frame(.request)
            request.name = "echo"
            let bytes = request.encoded()
            var revision: UInt64 = 1
            // On a busy machine, the link may be lost, because the fake host was not given its turn.
            while true {
                losses = []
                let before = host.subscriptions
                revision += 1
                // The reply's revision is newer than the container, so it is held for the change that the dead flow has
                // lost.
                host.repliedRevision = revision
                host.newestRevision = revision
                let reply = try? await link.request(bytes, message: "echo")
                guard losses.isEmpty else {
                    try await host.until("the link is ready again") { link.isReady }
                    continue
                }
                #expect(reply.map { $0.elementsEqual([0xA0]) } == true)
                #expect(host.subscriptions > before)
                #expect(link.replica.revision == revision)
                return
            }
        }
    }

    @Test("Each answered heartbeat updates the estimate of the host's clock, because clocks drift")
    func clock() async throws {
        try await withLink { host, link in
            var frame = Frame(.request)
            frame.deadline = 3_601_000_000
            #expect(try #require(link.timeLeft(of: frame)) > .seconds(1800))
            // The host's clock advances by an hour, while hardly any time passes here.
            host.time = 3_600_000_000
            try await host.until("the new time is known") { link.timeLeft(of: frame).map { $0 < .seconds(5) } == true }
        }
    }

    @Test("A publisher that stays silent ends the link, with the reason")
    func publisherGone() async throws {
        try await withLink { host, link in
            var losses: [LinkMachine.Loss] = []
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            events.onLost = { losses.append($0) }
            func isPublisherSilent(_ loss: LinkMachine.Loss) -> Bool {
                if case .publisherSilent = loss { true } else { false }
            }
            // On a busy machine, the link may be lost for another reason, because the fake host was not given its turn.
            while !losses.contains(where: isPublisherSilent) {
                let before = losses.count
                host.isPublishing = false
                try await host.until("the link is lost") { losses.count > before }
                host.isPublishing = true
                try await host.until("the link is ready again") { link.isReady }
            }
        }
    }

    @Test("A silent bus ends the link even while the publisher sends")
    func busAlone() async throws {
        try await withLink { host, link in
            var losses: [LinkMachine.Loss] = []
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            events.onLost = { losses.append($0) }
            func isSilent(_ loss: LinkMachine.Loss) -> Bool { if case .silent = loss { true } else { false } }
            // On a busy machine, the link may be lost for another reason, because a beacon came late.
            while !losses.contains(where: isSilent) {
                let before = losses.count
                let hellos = host.hellos
                host.isAnswering = false
                while losses.count == before {
                    host.sendBeacon()
                    try await host.loopTurn()
                }
                host.isAnswering = true
                try await host.until("the link is ready after another hello") { host.hellos > hellos && link.isReady }
            }
        }
    }
}
