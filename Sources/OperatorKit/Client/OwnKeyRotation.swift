import Bus
package import Foundation
import Messaging
package import PeerLink
package import ZeroMQ

/// The steps in which this machine's key is replaced. After each of them the process may die, and the next run goes on:
///
/// 1. The new key is written beside the old one. From then on, links try both.
/// 2. Each host gets the new key, and accepts both for a while.
/// 3. The new key takes the place of the old one.
package struct OwnKeyRotation: Sendable {
    package let folder: KeyFolder
    /// For how long the hosts accept the old key, in seconds.
    let keep: Double
    /// How long to wait for each host, in seconds.
    let timeout: Double

    package struct Keys {
        package let old: KeyPair
        package let next: KeyPair
    }

    /// What became of a context.
    package struct Outcome {
        package let context: String
        /// Until when the host accepts the old key; `nil` if it was not told.
        package var until: Date?
        package var failure: CommandError?

        package var line: String {
            if let failure { return "\(context): not told: \(failure.message)" }
            return
                "\(context): the host has the new key, and accepts the old one until \((until ?? .now).formatted(.iso8601))"
        }
    }

    /// - Parameters:
    ///   - keep: for how long the hosts accept the old key, in seconds.
    ///   - timeout: how long to wait for each host, in seconds.
    package init(folder: KeyFolder, keep: Double, timeout: Double) {
        (self.folder, self.keep, self.timeout) = (folder, keep, timeout)
    }

    /// Makes the new key, or reads the one of a run that has not finished.
    package func begin() throws -> Keys {
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
    package func tell(_ context: HostContext, _ keys: Keys) async -> Outcome {
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
    package func finish(_ keys: Keys) throws {
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
