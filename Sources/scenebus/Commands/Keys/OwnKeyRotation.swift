import Bus
import Foundation
import Messaging
import OperatorKit
import PeerLink
import ZeroMQ

/// The steps in which this machine's key is replaced. After each of them the process may die, and the next run goes on:
///
/// 1. The new key is written beside the old one. From then on, links try both.
/// 2. Each host gets the new key, and accepts both for a while.
/// 3. The new key takes the place of the old one.
struct OwnKeyRotation: Sendable {
    let folder: KeyFolder
    /// For how long the hosts accept the old key, in seconds.
    let keep: Double
    /// How long to wait for each host, in seconds.
    let timeout: Double

    struct Keys {
        let old: KeyPair
        let next: KeyPair
    }

    /// What became of a context.
    struct Outcome {
        let context: String
        /// Until when the host accepts the old key; `nil` if it was not told.
        var until: Date?
        var failure: CommandError?

        var line: String {
            if let failure { return "\(context): not told: \(failure.message)" }
            return
                "\(context): the host has the new key, and accepts the old one until \((until ?? .now).formatted(.iso8601))"
        }
    }

    /// Makes the new key, or reads the one of a run that has not finished.
    func begin() throws -> Keys {
        let old: KeyPair
        do throws(PrivatePathError) {
            old = try folder.key(in: folder.ownKeyFile)
        } catch {
            guard error.code == .missing else { throw error }
            throw CommandError(.refused, "this machine has no key yet; 'scenebus join' makes one")
        }
        return Keys(old: old, next: try folder.keyOrNew(in: folder.ownNextKeyFile).keys)
    }

    /// Hands in the new key at the host of a context.
    @MainActor
    func tell(_ context: HostContext, _ keys: Keys) async -> Outcome {
        do {
            let rotation = try await handIn(context, keys)
            return Outcome(context: context.name, until: Date(timeIntervalSince1970: rotation.until))
        } catch {
            return Outcome(context: context.name, failure: CommandError(error))
        }
    }

    @MainActor
    private func handIn(_ context: HostContext, _ keys: Keys) async throws -> KeyRotation {
        var reference = HostReference(context, keys: keys.old)
        // The host may have the new key already, and may have forgotten the old one.
        reference.security?.nextKeys = keys.next
        var refusal = CommandError(.refused, "")
        // This side does not know the role of the key.
        for role in [PeerRole.operator, .worker, .plugin] {
            do {
                let host = try await HostClient(
                    ClientOptions(timeout: timeout), at: reference, role: role, connectTimeout: .seconds(timeout))
                defer { host.close() }
                return try await host.chain.hostRotateKey(key: "\(keys.next.publicKey)", keep: keep)
            } catch let error as CommandError where error.code == .refused {
                refusal = error
            }
        }
        throw refusal
    }

    /// Puts the new key in the place of the old one.
    func finish(_ keys: Keys) throws {
        do {
            try folder.replaceKey(in: folder.ownKeyFile, byThatIn: folder.ownNextKeyFile)
        } catch {
            // Another run may have done so.
            guard let now = try? folder.key(in: folder.ownKeyFile), now.publicKey == keys.next.publicKey else {
                throw error
            }
        }
    }
}
