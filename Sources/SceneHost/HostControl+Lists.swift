import Access
import Hub
import Bus

/// Operators' lists of links, sessions, workers and plugins.
extension HostControl {
    /// Returns what the sender may read of a session's status: not everybody may read what processes have printed.
    func shown(_ status: SessionStatus) throws -> SessionStatus {
        guard status.isHeld == true, status.problem != nil, try accessOfSender?.readsOutput == false else {
            return status
        }
        var status = status
        status.problem = "its scene has crashed workers, and it is held; an operator can read which they were, and why"
        return status
    }

    func hostLinks(after: String?, limit: Int?) async throws -> LinkList {
        let now = MonotonicInstant.now
        let page = try ListPages.page(of: hub.links.keys, after: after, limit: limit)
        let links = page.compactMap { hub.links[$0.id] }.map { link in
            LinkStatus(
                link: link.id, peer: link.name, role: link.hello.role, pid: link.hello.pid,
                sessions: sessions.count(of: link), silentSeconds: link.traffic.liveness.silence(at: now) / .seconds(1),
                pendingRequests: link.pending, drops: link.drops)
        }
        return LinkList(links: links, next: page.last.flatMap { $0.isLast ? nil : "\($0.id)" })
    }

    func hostSessions(worker: String?, after: String?, limit: Int?) async throws -> SessionList {
        var list = try sessions.sessions(of: worker, after: after, limit: limit)
        guard let access = try accessOfSender else { return list }
        list.sessions.removeAll { !access.mayUse($0.session, of: $0.configuration) }
        list.sessions = try list.sessions.map(shown)
        return list
    }

    func hostWorkers(after: String?, limit: Int?) async throws -> WorkerList {
        try sessions.workers(after: after, limit: limit)
    }

    func hostPlugins(after: String?, limit: Int?) async throws -> PluginList {
        // The manifests are read once, so an index into this list stays valid between pages.
        let instances = plugins?.instances ?? []
        let page = try ListPages.page(of: (0..<UInt64(instances.count)), after: after, limit: limit)
        var list = PluginList(
            plugins: page.map { instances[Int($0.id)].status },
            next: page.last.flatMap { $0.isLast ? nil : "\($0.id)" })
        if try accessOfSender?.readsOutput == false {
            for index in list.plugins.indices where list.plugins[index].problem != nil {
                list.plugins[index].problem = "it has a problem, of which an operator can read"
            }
        }
        return list
    }
}
