import Bus
import CBOR
import CoordinatorKit

/// Opening and closing sessions.
extension SessionBook {
    /// Opens a session, and gives it a scene when a worker has room.
    /// - Parameter configuration: the scene configuration; `nil` for the only one that is offered.
    /// - Throws: ``SceneCommandError`` when no worker offers the configuration and none is expected that may offer it,
    ///   and for names that are too long for a message.
    func open(configuration: String?, role: String, links: [CBORRaw]) async throws -> SessionStatus {
        let offered = table.pools.filter { $0.value.attached > 0 }.keys.sorted()
        // Expected workers may offer other configurations, so no choice is made before they have attached.
        let isArriving = table.isArriving
        guard let name = configuration ?? (offered.count == 1 && !isArriving ? offered.first : nil) else {
            throw SceneCommandError(
                .unknownConfiguration,
                isArriving
                    ? "name a scene configuration, or try again in a few seconds: workers are on their way; offered so far: "
                        + Self.list(offered)
                    : "name a scene configuration; workers offer: \(Self.list(offered))")
        }
        if !offered.isEmpty, !offered.contains(name), !table.mayComeBack(at: .now),
            plugins?.startsWorker(for: name) != true
        {
            throw SceneCommandError(
                .unknownConfiguration,
                "no worker offers '\(name)'; there are: \(Self.list(offered))")
        }
        guard CarriedItem.canCarry(role: role, configuration: name) else {
            throw SceneCommandError(
                .refused,
                "its role and configuration have \(role.utf8.count + name.utf8.count) bytes together; a session may have "
                    + "\(CarriedItem.maximumNames)")
        }
        let record = SessionRecord(
            id: SceneSession.newIdentifier(), role: role, configuration: name, position: table.nextPosition())
        try await writer.write(.saveSessions([record]))
        perform(table.opened(record, links: links, at: .now))
        // Return when the scene runs, or when it is known why it does not.
        await withCheckedContinuation { continuation in
            whenRunning(record.id, order: nextInputOrder(), within: self.configuration.placementTimeout) { _ in
                continuation.resume()
            }
        }
        return status(of: try session(record.id))
    }

    /// Closes a session permanently.
    func close(_ id: String) async throws {
        _ = try session(id)
        queue.beginClosing(id)
        var isDeleted = false
        defer {
            queue.endClosing(id, isDeleted: isDeleted)
            saveUnsaved()
        }
        try await writer.write(.deleteSession(id))
        isDeleted = true
        perform(table.closed(id))
    }
}
