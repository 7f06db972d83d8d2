import Foundation
import Hub
import Logging
import PeerLink
import ZeroMQ

/// The host's own key, which can be replaced while it runs.
///
/// libzmq takes one key for each address, so there is no time in which both are accepted. Instead, peers are told the next key
/// beforehand, over links that the old one protects, and try both from then on.
extension HostKeys {
    /// Reads the next key when its file has changed, and begins to use it when its time has come.
    func lookAtOwnKey() {
        let version = PrivateFile.Version(of: folder.nextKeyFile(of: host))
        if version != nextVersion {
            nextVersion = version
            readNextKey()
        }
        guard let next, next.from <= Date() else { return }
        ownProblem = nil
        do {
            // The file first: if the host ends in between, the next one uses this key, too.
            try folder.replaceKey(in: folder.keyFile(of: host), byThatIn: folder.nextKeyFile(of: host))
        } catch {
            ownProblem = "the host's key is not replaced: \(error)"
            return
        }
        use(next.keys)
    }

    /// Reads the file of the next key, and tells the peers.
    private func readNextKey() {
        ownProblem = nil
        do {
            next = try NextHostKey(of: host, in: folder)
        } catch {
            next = nil
            ownProblem = error.description
        }
        hub.nextKey = next?.keys.publicKey
        guard let next else { return }
        logger.notice(
            "the host's key will be replaced",
            metadata: ["key": "\(next.keys.publicKey)", "from": "\(next.from.formatted(.iso8601))"])
    }

    private func use(_ keys: KeyPair) {
        (own, next, nextVersion) = (keys, nil, nil)
        // Links stay, and their peers are to know it when the next change comes.
        hub.nextKey = keys.publicKey
        do {
            if let security { try hub.listenAgain(with: security) }
            logger.notice("the host has another key", metadata: ["key": "\(keys.publicKey)"])
        } catch {
            ownProblem = "the host cannot use its new key before it is started anew: \(error)"
            logger.error("the host's key", metadata: ["problem": "\(error)"])
        }
        audit?.keys("replace the host's key", "by", "\(keys.publicKey)")
    }
}
