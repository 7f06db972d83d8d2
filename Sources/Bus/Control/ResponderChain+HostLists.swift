package import Messaging

/// Functions that read a whole list page by page.
extension ResponderChain {
    /// Returns all open sessions in the order in which they were opened, or only those that a worker runs, creates,
    /// holds or is ending.
    package func hostSessions(of worker: String? = nil) async throws -> [SessionStatus] {
        try await all { try await hostSessions(worker: worker, after: $0, limit: nil) }
    }

    package func hostWorkers() async throws -> [WorkerStatus] {
        try await all { try await hostWorkers(after: $0, limit: nil) }
    }

    package func hostLinks() async throws -> [LinkStatus] {
        try await all { try await hostLinks(after: $0, limit: nil) }
    }

    package func hostPlugins() async throws -> [PluginStatus] {
        try await all { try await hostPlugins(after: $0, limit: nil) }
    }

    /// Returns what peers have done since a time, in seconds since 1970, and what they were refused, the oldest first.
    package func hostAudit(since time: Double?, after number: Int64? = nil) async throws -> [AuditEntry] {
        let start = number.map { "\($0)" }
        return try await all { try await hostAudit(since: time, after: $0 ?? start, limit: nil) }
    }

    /// Returns the keys that the host allows, and what is wrong with other lines of its list.
    package func hostKeys() async throws -> (keys: [KeyStatus], problems: [String]) {
        var problems: [String] = []
        let keys = try await all { (after: String?) -> KeyPage in
            let page = try await hostKeys(after: after, limit: nil)
            problems = page.problems
            return page
        }
        return (keys, problems)
    }

    /// Returns all entries of the container, sorted by key.
    package func hostDependencies() async throws -> [DependencyStatus] {
        // An entry that changes while the pages are read is listed again. The later one replaces it.
        var entries: [String: DependencyStatus] = [:]
        var place: DependencyPlace?
        repeat {
            let page = try await hostDependencies(after: place)
            for entry in page.entries { entries[entry.key] = entry }
            place = page.next
        } while place != nil
        return entries.values.sorted { $0.key < $1.key }
    }

    private func all<List: HostList>(_ page: (String?) async throws -> List) async throws -> [List.Item] {
        var items: [List.Item] = []
        var next: String?
        repeat {
            let list = try await page(next)
            items += list.items
            next = list.next
        } while next != nil
        return items
    }
}
