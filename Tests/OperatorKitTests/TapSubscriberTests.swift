import Bus
import OperatorKit
import TestKit
import Testing
import ZeroMQ

/// The tap's connection can fail on its own.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct TapSubscriberTests {
    @Test("A listener that receives nothing from the publisher reconnects")
    func silent() async throws {
        let context = SocketContext()
        let host = try FakeHost()
        host.isPublishing = false
        var records: [TapRecord] = []
        let listener = try TapSubscriber(
            publisher: host.publisher, endpoint: host.endpoint, context: context, interval: .milliseconds(100)
        ) { records.append($0) }
        defer {
            listener.close()
            host.close()
            #expect(host.context.openSockets == 0)
        }
        try await host.until("the listener has subscribed three times") { host.subscriptions >= 3 }
        host.isPublishing = true
        let record = TapRecord(
            sequence: 1, time: 1, from: "a", to: "host", kind: "post", name: "x", session: "", sender: "", size: 1,
            latency: nil, trace: nil)
        let bytes = try Frame(.tap).encoded(payload: record)
        try await host.until("a record has arrived") {
            try host.publish(bytes)
            return !records.isEmpty
        }
    }
}
