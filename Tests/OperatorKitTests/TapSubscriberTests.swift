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
        let bytes = try record(1)
        try await host.until("a record has arrived") {
            try host.publish(bytes)
            return !records.isEmpty
        }
    }

    @Test("Records that are left out count as lost, but not when a restarted host numbers them from the start")
    func lost() async throws {
        let host = try FakeHost()
        defer { host.close() }
        var numbers: [UInt64] = []
        let listener = try TapSubscriber(
            publisher: host.publisher, endpoint: host.endpoint, context: SocketContext(), interval: .seconds(60)
        ) { numbers.append($0.sequence) }
        defer { listener.close() }
        let first = try record(7)
        try await host.until("a record has arrived") {
            try host.publish(first)
            return !numbers.isEmpty
        }
        // The records 8 and 9 are missing. After the record 10, the host is restarted.
        for number in [10, 1, 2] as [UInt64] { try host.publish(try record(number)) }
        try await host.until("the last record has arrived") { numbers.last == 2 }
        #expect(listener.lost == 2)
    }

    /// The frame with a record.
    private func record(_ number: UInt64) throws -> [UInt8] {
        try Frame(.tap).encoded(
            payload: TapRecord(
                sequence: number, time: 1, from: "a", to: "host", kind: "post", name: "x", session: "", sender: "",
                size: 1, latency: nil, trace: nil))
    }
}
