import Access
import Hub
import Bus

/// Operators' lists of links, sessions, workers and plugins.
extension HostControl {
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
        if let access = accessOfSender { list.sessions.removeAll { !access.mayUse($0.session, of: $0.configuration) } }
        return list
    }

    func hostWorkers(after: String?, limit: Int?) async throws -> WorkerList {
        try sessions.workers(after: after, limit: limit)
    }

    func hostPlugins(after: String?, limit: Int?) async throws -> PluginList {
        // The manifests are read once, so an index into this list stays valid between pages.
        let instances = plugins?.instances ?? []
        let page = try ListPages.page(of: (0..<UInt64(instances.count)), after: after, limit: limit)
        return PluginList(
            plugins: page.map { instances[Int($0.id)].status },
            next: page.last.flatMap { $0.isLast ? nil : "\($0.id)" })
    }
}
