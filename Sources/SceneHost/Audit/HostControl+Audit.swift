import Bus

extension HostControl {
    func hostAudit(since: Double?, after: String?, limit: Int?) async throws -> AuditList {
        try await audit.page(since: since, after: after, limit: limit)
    }
}
