import Messaging
import Bus
import TestKit
import Testing

@testable import Hub
@testable import SceneHost

extension LiveTests {
    /// What a peer makes the host keep, by the kind of the frames that it sends.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct KeptForPeersTests {
        private static let count = 100

        @Test(
            "What the host keeps for a peer stays within its limit, whatever kind of frame the peer sends",
            arguments: FrameKind.allCases)
        func bounded(kind: FrameKind) async throws {
            try await withHost { live in
                // It never answers, so requests to it are kept.
                let deaf = try live.raw()
                _ = try await deaf.hello("deaf", handles: ["waitForever"])
                let raw = try live.raw()
                _ = try await raw.hello("greedy", provides: (0..<Self.count).map { "key\($0)" })
                for number in 0..<Self.count {
                    try raw.send(frame(kind, number, epoch: live.host.hub.epoch))
                    await Task.yield()
                }
                try raw.sendHeartbeat()
                // The answer shows that all frames are handled.
                while true {
                    let frame = try await raw.next()
                    if frame.kind == .heartbeat { break }
                    guard frame.kind == .refusal else { continue }
                    if try frame.decodePayload(as: Refusal.self).code == .unknownLink { break }
                }
                let hub = live.host.hub
                for link in hub.links.values {
                    #expect(link.traffic.account.total <= PeerAccount.limit)
                    #expect(
                        link.traffic.marks.unread(sent: link.traffic.sendWindow.sent) <= EndedLinks.limit + 2
                            * SendWindow.standard)
                }
                #expect(live.host.container.table.owners.size <= ContainerTable.maximumSize)
                guard let account = hub.link(named: "greedy")?.traffic.account else { return }
                switch kind {
                case .publish:
                    #expect(account[.entries] > PeerAccount.limit / 2)
                    #expect(hub.counters.values["refused: entry without room"] ?? 0 > 30)
                case .request: #expect(account[.requests] > Int(SendWindow.standard / 2))
                default: #expect(account.total == account[.hello])
                }
            }
        }

        /// Returns a frame that a peer sends to make the host keep as much as possible.
        private func frame(_ kind: FrameKind, _ number: Int, epoch: UInt64) throws -> [UInt8] {
            var frame = Frame(kind)
            let text = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            let value: [UInt8] = [0x7A, 0, 0x10, 0, 0] + text
            switch kind {
            case .hello:
                return try frame.encoded(
                    payload: Hello(
                        role: .plugin, peer: "greedy", pid: 1, endpoint: "", versions: .current,
                        handles: (0..<100).map { "handle\(number)-\($0)" }))
            case .heartbeat:
                let drops = Dictionary(uniqueKeysWithValues: (0..<32).map { ("drop \(number) \($0)", number) })
                return try frame.encoded(payload: Heartbeat(received: 0, drops: PeerDrops(drops)))
            case .publish:
                let entries: [String: [UInt8]?] = ["key\(number)": value]
                frame.payload = DependencyPayload.encode(entries)[...]
            case .synchronize, .snapshot, .delta, .beacon: frame.epoch = epoch
            default:
                frame.id = UInt64(number + 1)
                frame.name = "waitForever"
            }
            if frame.payload.isEmpty, Frame.maximumSize(of: kind) > value.count { frame.payload = value[...] }
            return frame.encoded()
        }
    }
}
