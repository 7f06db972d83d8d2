package import Bus
import Messaging

/// Receives a host's tap over a client's link, as peers with keys do.
@MainActor
package final class LinkTap {
    /// The number of records that never arrived.
    package var lost: UInt64 { records.lost }
    private var records = TapRecords()

    /// Begins to watch. When the link is made anew, the tap goes on.
    /// - Parameter onRecord: called with each record.
    /// - Throws: ``MessageError`` if the host does not allow it.
    package init(of client: HostClient, onRecord: @escaping @MainActor (TapRecord) -> Void) async throws {
        client.onTap = { [weak self] frame in
            guard let self, let record = records.read(frame) else { return }
            onRecord(record)
        }
        client.onReadyAgain = { [weak client] in
            // If it fails, the link is gone again.
            Task { try? await client?.chain.hostWatch(isOn: true) }
        }
        try await client.chain.hostWatch(isOn: true)
    }
}
