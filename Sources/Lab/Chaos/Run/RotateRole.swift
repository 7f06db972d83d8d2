import ArgumentParser
import ChaosHistory
import Foundation
import OperatorKit
import PeerLink
import ZeroMQ

/// Replaces the key of a place, as `scenebus key rotate` does on its machine, and tries the old one after its end.
struct RotateRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "rotate", shouldDisplay: false)
    @OptionGroup var role: RoleOptions

    /// For how long the old key stays valid, in seconds.
    private static let keep = 2.0

    func execute() async throws {
        guard let folder = try ChaosKeys()?.folder(of: role.name),
            let context = try folder.contexts()[ChaosKeys.context]
        else { throw ChaosError("'\(role.name)' has no key") }
        let rotation = OwnKeyRotation(folder: folder, keep: Self.keep, timeout: 2)
        let keys = try rotation.begin()
        var outcome = await rotation.tell(context, keys)
        // Other faults may separate this machine from the host.
        while outcome.failure != nil {
            printLine(outcome.line)
            outcome = await rotation.tell(try folder.contexts()[ChaosKeys.context] ?? context, keys)
        }
        printLine(outcome.line)
        try rotation.finish(keys)
        guard let until = outcome.until else { return }
        // The host looks at the time each half second.
        try await Task.sleep(for: .seconds(max(0, until.timeIntervalSinceNow) + 1.5))
        guard await isAccepted(keys.old, context) else { return }
        try role.makeLog().write(
            .broke(
                promise: .replacedAttached,
                detail: "the key of '\(role.name)' was valid until \(until), and still is"))
    }

    @MainActor
    private func isAccepted(_ keys: KeyPair, _ context: HostContext) async -> Bool {
        let client = try? await HostClient(
            ClientOptions(timeout: 2), at: HostReference(context, keys: keys), role: .worker,
            connectTimeout: .seconds(2))
        client?.close()
        return client != nil
    }
}
