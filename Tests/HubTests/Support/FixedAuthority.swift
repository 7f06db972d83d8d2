import Access
import Bus
import Hub
import ZeroMQ

/// Knows nothing of the peers of a hub but what a test says.
@MainActor
final class FixedAuthority: AdmissionAuthority {
    let rules: Admission.Rules
    /// The name of the peer that is a process which the hub's owner has started.
    private let own: String?

    init(maximumLinks: Int, own: String? = nil) {
        rules = Admission.Rules(maximumLinks: maximumLinks, howToAllowMore: "a larger number")
        self.own = own
    }

    func registration(of hello: Hello, from identity: PeerIdentity) -> PeerRegistration? {
        guard hello.peer == own else { return nil }
        return PeerRegistration(
            process: .running(pid: hello.pid, saidHello: true), handles: [], provides: [], services: [], scenes: [])
    }

    func access(of key: PublicKey) -> PeerAccess? { nil }
    func hides(_ entry: String) -> Bool { false }
    func wasReplaced(_ key: PublicKey) -> Bool { false }
    func refused(_ hello: Hello?, _ refusal: Refusal, from identity: PeerIdentity) {}
}
