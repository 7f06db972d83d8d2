import Bus
import Hub

/// Moving sessions between workers, and draining workers.
extension SessionBook {
    /// Moves a session's scene to another worker, and waits until it runs there.
    /// - Parameter name: the worker's name; `nil` for the one with the most room.
    func move(_ id: String, to name: String?) async throws -> SessionStatus {
        let target = try name.map { try worker(named: $0) }
        let from = try status(of: session(id)).worker
        perform(try table.move(id, to: target?.id))
        try await untilRunning(id, within: configuration.placementTimeout * 2)
        let session = try session(id)
        let status = status(of: session)
        guard status.worker != from else {
            throw SceneCommandError(.refused, "session '\(id)' was not moved: \(session.problem)")
        }
        return status
    }

    func drain(_ name: String, isDraining: Bool) throws -> WorkerStatus {
        let link = try worker(named: name)
        perform(isDraining ? table.drain(link.id) : table.undrain(link.id))
        return status(of: link)
    }

    func status(of link: HubLink) -> WorkerStatus {
        let worker = table.workers[link.id]
        return WorkerStatus(
            worker: link.name, pid: link.hello.pid, software: link.hello.software, scenes: link.hello.scenes,
            capacity: link.hello.capacity, sessions: worker?.sessionCount ?? 0,
            ending: worker?.discards.count ?? 0, isDraining: worker?.isDraining ?? false)
    }

    func worker(named name: String) throws -> HubLink {
        guard let link = hub.link(named: name), table.workers[link.id] != nil else {
            let names = table.workers.values.map(\.name).sorted()
            throw SceneCommandError(
                .unknownWorker, "no worker is called '\(name)'; there are: \(Self.list(names))")
        }
        return link
    }

    /// Formats names for a message: at most 20, and the number of the others.
    static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "none" }
        let first = names.prefix(20).joined(separator: ", ")
        return names.count > 20 ? first + " and \(names.count - 20) more" : first
    }
}
