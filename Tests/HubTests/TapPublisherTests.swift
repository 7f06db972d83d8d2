import Bus
import Testing

@testable import Hub

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct TapPublisherTests {
    private func frame(_ kind: FrameKind, id: UInt64) -> Frame {
        var frame = Frame(kind)
        frame.id = id
        return frame
    }

    @Test("Latencies are measured for any number of requests, one after the other")
    func manyRequests() throws {
        let tap = TapPublisher(clock: HostClock(startedAt: .now), maximumStarted: 2)
        var last: [UInt8] = []
        tap.send = { last = $1 }
        for id in 1...5 as ClosedRange<UInt64> {
            tap.record(frame(.request, id: id), size: 100, from: "buyer", to: "host")
            tap.record(frame(.reply, id: id), size: 100, from: "host", to: "buyer")
            let record = try Frame(last).decodePayload(as: TapRecord.self)
            #expect(record.kind == "reply")
            #expect(record.latency != nil)
        }
    }

    @Test("Only the latencies of requests beyond the limit are left out")
    func manyAtOnce() throws {
        let tap = TapPublisher(clock: HostClock(startedAt: .now), maximumStarted: 2)
        var records: [[UInt8]] = []
        tap.send = { records.append($1) }
        for id in 1...3 as ClosedRange<UInt64> {
            tap.record(frame(.request, id: id), size: 100, from: "buyer", to: "host")
        }
        for id in 1...3 as ClosedRange<UInt64> {
            tap.record(frame(.reply, id: id), size: 100, from: "host", to: "buyer")
        }
        let latencies = try records.map { try Frame($0).decodePayload(as: TapRecord.self).latency }
        #expect(latencies.map { $0 != nil } == [false, false, false, true, true, false])
    }

    @Test("Cancelled requests, and those of a peer that is gone, make room for others")
    func endedWithoutReply() throws {
        let tap = TapPublisher(clock: HostClock(startedAt: .now), maximumStarted: 2)
        var last: [UInt8] = []
        tap.send = { last = $1 }
        tap.subscriptionChanged(Frame.topic(.tap), isOn: true)
        tap.record(frame(.request, id: 1), size: 100, from: "buyer", to: "host")
        tap.record(frame(.request, id: 1), size: 100, from: "host", to: "seller")
        tap.record(frame(.cancel, id: 1), size: 100, from: "buyer", to: "host")
        tap.record(frame(.request, id: 2), size: 100, from: "buyer", to: "host")
        tap.detached("seller", 1)
        tap.record(frame(.request, id: 3), size: 100, from: "buyer", to: "host")
        for id in [2, 3] as [UInt64] {
            tap.record(frame(.reply, id: id), size: 100, from: "host", to: "buyer")
            #expect(try Frame(last).decodePayload(as: TapRecord.self).latency != nil)
        }
    }
}
