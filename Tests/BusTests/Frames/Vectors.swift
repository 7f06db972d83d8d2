import CBOR
import CoordinatorKit

@testable import Bus

/// One frame of each kind, with every field set that the kind uses. The protocol's document shows the same bytes.
enum Vectors {
    static func frame(_ kind: FrameKind, _ fill: (inout Frame) throws -> Void = { _ in }) throws -> [UInt8] {
        var frame = Frame(kind)
        try fill(&frame)
        return frame.encoded()
    }

    static let trace = TraceContext(traceHigh: 0x0102_0304_0506_0708, traceLow: 0x090a_0b0c_0d0e_0f10, span: 0x1112)

    static func all() throws -> [(name: String, bytes: [UInt8])] {
        let encoder = CBOREncoder()
        let hello = Hello(
            role: .worker, peer: "wall-1", pid: 42, life: 0x2122_2324_2526_2728, endpoint: "tcp://192.0.2.7:5570",
            software: "1.0.0",
            handles: ["counterAdd"], provides: ["total"], services: [], scenes: ["Wall"], capacity: 2)
        let welcome = Welcome(
            version: 1, epoch: 7, link: 3, publisher: "tcp://*:5571", heartbeat: 1000, clock: 5_000_000,
            host: "default",
            pid: 41, credits: 2048)
        let refusal = Refusal(.version, "too old", peerVersions: ProtocolVersionRange(min: 2, max: 3))
        let unhandled = MessageError(.unhandled, message: "wallExplode", path: ["Screen", "AppDelegate"])
        let thrown = RemoteError(type: "LoginRequired", message: "log in", code: "loginRequired")
        let record = TapRecord(
            sequence: 1, time: 5_000_000, from: "wall-1", to: "host", kind: "request", name: "counterAdd",
            session: "k3m9xw2p",
            sender: "CounterScreen", size: 120, latency: nil, trace: trace.hex)
        return [
            ("hello", try frame(.hello) { $0.payload = try encoder.encode(hello)[...] }),
            (
                "hello of a worker that comes back",
                try frame(.hello) {
                    var back = hello
                    back.credits = 2048
                    back.held = [HeldScene(session: "k3m9xw2p", token: 11)]
                    $0.payload = try encoder.encode(back)[...]
                }
            ),
            ("welcome", try frame(.welcome) { $0.payload = try encoder.encode(welcome)[...] }),
            ("refusal", try frame(.refusal) { $0.payload = try encoder.encode(refusal)[...] }),
            ("heartbeat", try frame(.heartbeat) { $0.id = 3_000_000 }),
            ("goodbye", try frame(.goodbye)),
            (
                "request",
                try frame(.request) {
                    $0.id = 9
                    $0.deadline = 6_000_000
                    $0.token = 11
                    $0.trace = trace
                    $0.name = "counterAdd"
                    $0.session = "k3m9xw2p"
                    $0.sender = "CounterScreen"
                    $0.payload = try encoder.encode(["amount": 1])[...]
                }
            ),
            (
                "request once",
                try frame(.request) {
                    $0.id = 10
                    $0.deadline = 6_000_000
                    $0.token = 11
                    $0.delivery = .once
                    $0.messageID = MessageID(high: 0x1112_1314_1516_1718, low: 0x191a_1b1c_1d1e_1f20)
                    $0.name = "orderPlace"
                    $0.session = "k3m9xw2p"
                    $0.sender = "ShopScreen"
                    $0.payload = try encoder.encode(["item": "tea"])[...]
                }
            ),
            (
                "reply",
                try frame(.reply) {
                    $0.id = 9
                    $0.revision = 12
                    $0.name = "counterAdd"
                    $0.payload = try encoder.encode(5)[...]
                }
            ),
            (
                "failure unhandled",
                try frame(.failure) {
                    $0.id = 9
                    $0.name = "wallExplode"
                    $0.payload = try encoder.encode(Failure(unhandled))[...]
                }
            ),
            (
                "failure peerLost",
                try frame(.failure) {
                    $0.id = 10
                    $0.name = "orderPlace"
                    let lost = MessageError(
                        .peerLost, message: "orderPlace", detail: "the host died while it was handled",
                        mayHaveBeenHandled: true)
                    $0.payload = try encoder.encode(Failure(lost))[...]
                }
            ),
            (
                "failure thrown",
                try frame(.failure) {
                    $0.id = 9
                    $0.name = "alertAcknowledge"
                    $0.payload = try encoder.encode(Failure(thrown))[...]
                }
            ),
            (
                "post",
                try frame(.post) {
                    $0.flags = .passedOn
                    $0.parent = 8
                    $0.name = "accountShow"
                    $0.payload = try encoder.encode(["page": "settings"])[...]
                }
            ),
            ("cancel", try frame(.cancel) { $0.id = 9 }),
            (
                "synchronize",
                try frame(.synchronize) {
                    $0.id = 1
                    $0.revision = 11
                }
            ),
            (
                "snapshot",
                try frame(.snapshot) {
                    $0.flags = .last
                    $0.id = 1
                    $0.revision = 12
                    $0.payload = DependencyPayload.encode(["total": [0x05]])[...]
                }
            ),
            (
                "delta",
                try frame(.delta) {
                    $0.id = 7
                    $0.parent = 12
                    $0.revision = 13
                    $0.payload = DependencyPayload.encode(["account": nil, "total": [0x06]])[...]
                }
            ),
            (
                "beacon",
                try frame(.beacon) {
                    $0.id = 7
                    $0.revision = 13
                }
            ),
            ("publish", try frame(.publish) { $0.payload = DependencyPayload.encode(["total": [0x06]])[...] }),
            (
                "tap",
                try frame(.tap) {
                    $0.id = 1
                    $0.payload = try encoder.encode(record)[...]
                }
            ),
        ]
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func bytes(_ hex: String) -> [UInt8] {
        var digits = hex.filter { !$0.isWhitespace }[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }
}
