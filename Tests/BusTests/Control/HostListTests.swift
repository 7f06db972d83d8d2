import Bus
import Messaging
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HostListTests {
    @Test func `A list is read to its last page, and every page contains only what was asked for`() async throws {
        let host = PagedHost()
        #expect(try await host.chain.hostSessions().map(\.session) == ["s1", "s2", "s3", "s4", "s5", "s6"])
        #expect(try await host.chain.hostSessions(of: "even").map(\.session) == ["s2", "s4", "s6"])
        #expect(try await host.chain.hostSessions(of: "nobody") == [])
    }
}

/// A host that puts two sessions on a page.
private final class PagedHost: Responder, HostMessages {
    private let sessions = (1...6).map { number in
        SessionStatus(
            session: "s\(number)", configuration: "Shop", role: "windowApplication",
            worker: number.isMultiple(of: 2) ? "even" : "odd", pid: nil, token: 1, state: .running, problem: nil)
    }

    func hostSessions(worker: String?, after: String?, limit: Int?) async throws -> SessionList {
        let left = sessions.filter { session in
            (worker == nil || session.worker == worker) && session.session > (after ?? "")
        }
        let page = Array(left.prefix(2))
        return SessionList(sessions: page, next: left.count > page.count ? page.last?.session : nil)
    }
}
