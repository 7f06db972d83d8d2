import Hub
import Bus

/// The lists of sessions and workers for operators, in pages.
extension SessionBook {
    /// Returns a page of the open sessions, in the order in which they were opened.
    /// - Parameters:
    ///   - name: a worker's name, to list only sessions on this worker; `nil` for all.
    ///   - after: the end of the previous page; `nil` for the first page.
    /// - Throws: ``SceneCommandError`` for an unknown worker or an invalid `after`.
    func sessions(of name: String?, after: String?, limit: Int?) throws -> SessionList {
        let after = try after.map { text in
            guard let key = SessionOrder.Key(text) else { throw SceneCommandError.unknownPage(text) }
            return key
        }
        let length = ListPages.length(limit)
        let (keys, last): ([SessionOrder.Key], SessionOrder.Key?)
        if let name {
            let worker = table.workers[try worker(named: name).id]
            let held = [worker?.sessions, worker?.candidates].compactMap { $0 }.joined()
            let all = held.compactMap { table.sessions[$0]?.orderKey }.filter { key in after.map { key > $0 } ?? true }
            keys = Array(all.sorted().prefix(length))
            last = all.count > keys.count ? keys.last : nil
        } else {
            (keys, last) = table.order.keys(after: after, limit: length)
        }
        var reasons: [String: String] = [:]
        var list = SessionList(sessions: [], next: last?.description)
        var size = 0
        for (index, key) in keys.enumerated() {
            guard let session = table.sessions[key.id] else { continue }
            let status = status(of: session, reasons: &reasons)
            list.sessions.append(status)
            size += 256 + status.configuration.utf8.count + status.role.utf8.count + (status.problem?.utf8.count ?? 0)
            if size > ListPages.maximumSize, index + 1 < keys.count {
                list.next = key.description
                break
            }
        }
        return list
    }

    /// Returns a page of the attached workers, in the order in which they attached.
    /// - Throws: ``SceneCommandError`` for an invalid `after`.
    func workers(after: String?, limit: Int?) throws -> WorkerList {
        var list = WorkerList(workers: [], next: nil)
        var size = 0
        for (id, isLast) in try ListPages.page(of: table.workers.keys, after: after, limit: limit) {
            guard let link = hub.links[id] else { continue }
            let status = status(of: link)
            list.workers.append(status)
            size += 256 + status.software.utf8.count + status.scenes.reduce(0) { $0 + $1.utf8.count }
            list.next = isLast ? nil : "\(id)"
            if size > ListPages.maximumSize { return list }
        }
        return list
    }
}
