import Bus
import Messaging
import ZeroMQ

/// What the handshakes of the link's sockets say, with keys.
extension Link {
    /// Watches the handshakes of the bus, if they use keys or may meet a host that does.
    func watchHandshakes() {
        guard configuration.endpoint.hasPrefix("tcp:") else { return }
        do throws(ZeroMQError) {
            try traffic.dealer?.watchHandshakes(in: configuration.context) { [weak self] in
                self?.handshake($0)
            }
        } catch {
            drops["handshake monitor: \(error.reason)", default: 0] += 1
        }
    }

    private func handshake(_ outcome: HandshakeMonitor.Outcome) {
        switch outcome {
        case .succeeded:
            cutOffHandshakes = 0
            security?.accepted()
        case .unknownKey: if !openAgain(if: { $0.keysRefused() }) { fail(keyAdvice) }
        case .otherMechanism: fail(mechanismAdvice)
        case .cutOff:
            if openAgain(if: { $0.hostRefused() }) { return }
            // A host that ends cuts handshakes off, too. One that has another key does so each time.
            cutOffHandshakes += 1
            if cutOffHandshakes >= 3, security != nil { fail(otherHostAdvice) }
        }
    }

    /// Tries again at once, if there are other keys to try.
    private func openAgain(if hasOthers: (inout LinkSecurity) -> Bool) -> Bool {
        guard case .greeting = traffic.machine.state, var security, hasOthers(&security) else { return false }
        self.security = security
        // Nothing but the hello was sent.
        traffic.dealer?.close()
        traffic.dealer = nil
        open()
        return true
    }

    /// Ends the attempt. The link tries again with a new socket, after its own growing wait.
    private func fail(_ reason: String) { perform(traffic.machine.failedHandshake(reason, at: .now)) }

    private var ownKey: String { security.map { "\($0.currentKeys.publicKey)" } ?? "" }

    private var keyAdvice: String {
        "the host at \(configuration.endpoint) does not know this key; on the host run: scenebus key allow "
            + "\(configuration.keyName ?? "NAME") \(configuration.role.rawValue) \(ownKey)"
    }

    private var mechanismAdvice: String {
        security == nil
            ? "the host at \(configuration.endpoint) demands a key, and this process connects without one (--insecure)"
            : "the host at \(configuration.endpoint) uses no keys: it runs with --insecure, or is another host than the "
                + "one that was joined"
    }

    private var otherHostAdvice: String {
        "the host at \(configuration.endpoint) is not the one whose key is known here (it begins with "
            + "\(security?.currentHost.beginning ?? "")), or too many handshakes from this address have failed lately: on the "
            + "host run 'scenebus key show', and compare. If it has another key, join it anew. If not, try again in half a "
            + "minute: 'scenebus status' there counts the connections that it refuses"
    }
}
