@testable import Hub
import Bus
import CBOR
import CoordinatorKit
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// Statements of the protocol's page that no other test checks.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct ProtocolPageTests {
        private func refusal(
            _ live: LiveHost, _ name: String, handles: [String] = [], provides: [String] = []
        ) async throws -> Refusal.Code? {
            let answer = try await live.raw().hello(name, handles: handles, provides: provides)
            return answer.kind == .refusal ? try answer.decodePayload(as: Refusal.self).code : nil
        }

        @Test("Only the protocol's own names are reserved in a hello, not all that begin like them")
        func reservedNames() async throws {
            try await withHost { live in
                for (index, name) in ["hostStatus", "sceneAct", "sceneCheckpoint"].enumerated() {
                    let code = try await refusal(live, "reserved\(index)", handles: [name])
                    #expect(code == .malformed)
                }
                let absent = try await refusal(live, "absent", provides: ["scenebus.absent"])
                #expect(absent == .malformed)
                let free = try await refusal(live, "free", handles: ["hostile", "scenery"])
                #expect(free == nil)
                let other = try await refusal(live, "other", provides: ["scenebus.other"])
                #expect(other == nil)
            }
        }

        @Test("For an unknown endpoint, the host names the publisher of an address that is like it")
        func unknownEndpoint() async throws {
            try await withHost(configure: {
                $0.listen = ["tcp://127.0.0.1:*"]
                $0.isInsecure = true
            }) { live in
                let tcp = try #require(live.addresses.first { $0.hasPrefix("tcp://") })
                let port = try #require(tcp.split(separator: ":").last)
                var peers = 0
                func publisher(_ endpoint: String) async throws -> String {
                    peers += 1
                    let welcome = try await live.raw().hello("peer-\(peers)", endpoint: endpoint)
                    return try welcome.decodePayload(as: Welcome.self).publisher
                }
                let (local, remote) = (try await publisher(live.ipc), try await publisher(tcp))
                #expect(local != remote)
                #expect(try await publisher("tcp://host.example:\(port)") == remote)
                #expect(try await publisher("tcp://host.example:1") == remote)
                #expect(try await publisher("ipc:///elsewhere/bus") == local)
                #expect(try await publisher("") == local)
            }
        }

        @Test("A peer that knows a later revision than the host gets an empty part, which completes its copy")
        func laterRevision() async throws {
            try await withHost { live in
                let raw = try live.raw()
                let welcome = try await raw.hello("ahead").decodePayload(as: Welcome.self)
                var ask = Frame(.synchronize)
                ask.epoch = welcome.epoch
                ask.previous = live.host.hub.head + 5
                try raw.send(ask.encoded())
                let part = try await raw.next(.snapshot)
                #expect(part.part == 0)
                #expect(part.flags.contains(.last))
                #expect(part.previous == ask.previous)
                #expect(part.revision == live.host.hub.head)
                #expect(Array(part.payload) == [0xA0])
            }
        }

        @Test("A list goes on after a number that nothing has, and refuses an end of a page that none can have")
        func unknownPages() async throws {
            try await withHost { live in
                let client = try await live.client()
                let rest = try await client.chain.hostLinks(after: "999999", limit: nil)
                #expect(rest.links.isEmpty)
                #expect(rest.next == nil)
                let first = try await client.chain.hostLinks(after: "0", limit: nil)
                #expect(!first.links.isEmpty)
                let links = try await #require(throws: RemoteError.self) {
                    try await client.chain.hostLinks(after: "x", limit: nil)
                }
                #expect(links.sceneCommandCode == .refused)
                let sessions = try await #require(throws: RemoteError.self) {
                    try await client.chain.hostSessions(worker: nil, after: "x", limit: nil)
                }
                #expect(sessions.sceneCommandCode == .refused)
            }
        }

        /// A request of an operator with fields that the package's own senders would not write.
        private func request(_ name: String, _ payload: [UInt8]) -> Frame {
            var frame = Frame(.request)
            frame.name = name
            frame.payload = payload[...]
            return frame
        }

        @Test("A link that is null is no link, and the host's requests have the sender Host")
        func nullLink() async throws {
            try await withHost { live in
                let raw = try await live.rawWorker(named: "raw", capacity: 1)
                // On a busy machine, the test takes longer than a host waits for a silent worker.
                let beating = Task {
                    while !Task.isCancelled {
                        try raw.sendHeartbeat()
                        try await Task.sleep(for: .milliseconds(500))
                    }
                }
                defer { beating.cancel() }
                let client = try await live.client()
                let fields: [String: CBORValue] = ["role": "windowApplication", "link": nil]
                let open = request("hostOpenSession", try CBOREncoder().encode(fields))
                let opening = Task { try await client.request(open, as: SessionStatus.self) }
                let connect = try await raw.next("sceneConnect")
                #expect(connect.sender == "Host")
                try raw.reply(to: connect)
                #expect(try await opening.value.state == .running)
                let link = request("hostOpen", try CBOREncoder().encode(["link": CBORValue.null]))
                let answering = Task {
                    // Whatever the scene is asked for, it cannot read.
                    let act = try await raw.next("sceneOpen")
                    var failure = Frame.failure(SceneCommandError(.refused, "no link"), of: act.name)
                    failure.id = act.id
                    try raw.send(failure.encoded())
                }
                let error = try await #require(throws: RemoteError.self) { try await client.request(link) }
                #expect(error.sceneCommandCode == .refused)
                answering.cancel()
            }
        }

        @Test("Equal keys make a payload unreadable, even if no field has their name")
        func equalKeys() async throws {
            try await withHost { live in
                let client = try await live.client()
                // {"session": "a", "x": 1, "x": 2}
                let payload: [UInt8] =
                    [0xA3, 0x67] + Array("session".utf8) + [0x61, 0x61, 0x61, 0x78, 0x01, 0x61, 0x78, 0x02]
                let error = try await #require(throws: MessageError.self) {
                    try await client.request(request("hostSession", payload))
                }
                #expect(error.code == .malformed)
            }
        }
    }
}
