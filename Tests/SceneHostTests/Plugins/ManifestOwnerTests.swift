import Messaging
import TestKit
import Bus
import CoordinatorKit
import Glibc
import PeerLink
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// To whom the messages of a manifest belong.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct ManifestOwnerTests {
        @Test("No other process gets the name or the messages of a plugin, whatever it says about itself")
        func owner() async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                {"id": "clock", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "run",
                 "handles": ["clockSet"], "startSeconds": 0}
                """, to: "plugins/clock/plugin.json")
            // It ends with its standard input.
            let program = try folder.write("#!/bin/sh\nexec cat\n", to: "plugins/clock/run")
            chmod(program, 0o755)
            try await withHost(
                in: folder,
                configure: {
                    $0.plugins = ["\(folder.path)/plugins"]
                    ($0.listen, $0.isInsecure) = (["tcp://127.0.0.1:*"], true)
                }
            ) { live in
                let instance = try #require(live.host.life?.plugins?.instance(named: "clock"))
                try await live.until("the plugin's process runs") { instance.pid != nil }
                let pid = try #require(instance.pid)
                @MainActor func refusal(of peer: String, pid: Int32, over endpoint: String) async throws -> Refusal {
                    let raw = try live.raw(to: endpoint)
                    let hello = Hello(role: .plugin, peer: peer, pid: pid, endpoint: endpoint, handles: ["clockSet"])
                    try raw.send(Frame(.hello).encoded(payload: hello))
                    return try await raw.next(.refusal).decodePayload(as: Refusal.self)
                }
                #expect(live.addresses.count == 2)
                for endpoint in live.addresses {
                    let liar = try await refusal(of: "clock", pid: pid, over: endpoint)
                    #expect(liar.code == .taken)
                    #expect(liar.reason.contains("process \(pid)"))
                    let thief = try await refusal(of: "thief", pid: getpid(), over: endpoint)
                    #expect(thief.code == .unauthorized)
                    #expect(thief.reason.contains("'clockSet'"))
                    #expect(thief.reason.contains("'clock'"))
                }
            }
        }
    }
}
