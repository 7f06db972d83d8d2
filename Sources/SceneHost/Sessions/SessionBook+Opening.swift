import Bus
import CBOR
import CoordinatorKit
import Hub
import Messaging

/// Opening and closing sessions.
extension SessionBook {
    /// Opens a session, and gives it a scene when a worker has room.
    ///
    /// The application's delegate chooses the configuration.
    /// - Parameters:
    ///   - identifier: the session's identifier; `nil` for a new one.
    ///   - configuration: the scene configuration; `nil` for the only one that is offered.
    /// - Throws: ``SceneCommandError`` when no worker offers the configuration and none is expected that may offer it,
    ///   for names that are too long for a message, for an identifier that is not valid or in use, and when there is no
    ///   room for the peer whose request is being handled.
    func open(
        _ identifier: String?, configuration: String?, role: String, links: [CBORRaw]
    ) async throws -> SessionStatus {
        let id = identifier ?? SceneSession.newIdentifier()
        try await add(id, isNew: identifier == nil, configuration: configuration, role: role, links: links)
        // Return when the scene runs, or when it is known why it does not.
        await whenSettled(id)
        return status(of: try session(id))
    }

    /// Adds a session to the store, to the application and to the table.
    /// - Parameter isNew: whether no earlier session can have had the identifier.
    private func add(
        _ id: String, isNew: Bool, configuration: String?, role: String, links: [CBORRaw]
    ) async throws {
        // The sender may be gone when it is needed.
        let opener = try sender
        try beginOpening(id)
        defer { endOpening(id) }
        if !isNew { try await checkStore(for: id) }
        let record = try record(of: id, configuration: configuration, role: role, links: links)
        let share: SessionRoom.Share
        do {
            share = try table.takeRoom(for: record, links: links, by: opener)
        } catch {
            hub.count("refused: session without room")
            throw error
        }
        do {
            try await writer.write(.saveSessions([record]))
        } catch {
            table.giveBackRoom(share)
            throw error
        }
        addToApplication(record)
        perform(table.opened(record, links: links, share: share, at: .now))
    }

    /// Chooses the configuration of a new session.
    private func record(
        of id: String, configuration: String?, role: String, links: [CBORRaw]
    ) throws -> SessionRecord {
        let offered = table.pools.filter { $0.value.attached > 0 }.keys.sorted()
        // Expected workers may offer other configurations, so no choice is made before they have attached.
        let isArriving = table.isArriving
        let proposed = SceneSession(
            persistentIdentifier: id, role: SceneSession.Role(rawValue: role),
            configuration: SceneConfiguration(
                name: configuration ?? (offered.count == 1 && !isArriving ? offered[0] : "")))
        let options = ConnectionOptions(links: links.compactMap { try? $0.decode(as: DeepLink.self) })
        let name = application.configuration(for: proposed, options: options).name
        guard !name.isEmpty else {
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
        // A new token: a worker may still hold the scene of an earlier session with this identifier.
        return SessionRecord(
            id: id, role: role, configuration: name, position: table.nextPosition(), token: table.nextToken(for: id))
    }

    /// Checks that no earlier session of an identifier is in the store, not even one that this host cannot read.
    private func checkStore(for id: String) async throws {
        guard try await !writer.store.hasSession(id) else { throw Self.isOpen(id) }
    }

    private static func isOpen(_ identifier: String) -> SceneCommandError {
        SceneCommandError(.refused, "a session '\(identifier)' is open already")
    }

    /// Reserves the identifier of a new session.
    private func beginOpening(_ id: String) throws {
        guard SceneSession.isIdentifier(id) else {
            throw SceneCommandError(
                .refused, "a session's identifier has \(SceneSession.identifierRule); '\(id.prefix(64))' is none")
        }
        guard table.sessions[id] == nil, opening[id] == nil else { throw Self.isOpen(id) }
        opening[id] = []
    }

    private func endOpening(_ id: String) {
        for waiter in opening.removeValue(forKey: id) ?? [] { waiter.resume() }
    }

    /// Waits while a session is being opened, so that it can be shown or closed right after the request to open it.
    func whenOpened(_ id: String) async {
        guard opening[id] != nil else { return }
        await withCheckedContinuation { opening[id]?.append($0) }
    }

    /// Adds an open session to those of the application.
    func addToApplication(_ record: SessionRecord) {
        application.addOpenSession(
            SceneSession(
                persistentIdentifier: record.id, role: SceneSession.Role(rawValue: record.role),
                configuration: SceneConfiguration(name: record.configuration)))
    }

    /// Closes a session permanently.
    func close(_ id: String) async throws {
        await whenOpened(id)
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
        application.sessionWasClosed(id)
    }
}
