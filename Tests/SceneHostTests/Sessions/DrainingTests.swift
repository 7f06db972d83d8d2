import Bus
import Testing

@testable import SceneHost

/// Workers that are drained, and undrained before all of their sessions have left.
@Suite(.timeLimit(.minutes(5)))
struct DrainingTests {
    private let start = MonotonicInstant.now

    private func attach(_ worker: UInt64, to table: inout SessionTable) -> [SessionTable.Action] {
        let process = ProcessIdentity(peer: "w\(worker)", pid: Int32(worker))
        return table.attached(worker, process, offers: ["Wall"], capacity: 10, held: [], at: start)
            + table.synchronized(worker, at: start)
    }

    /// Carries out actions and those that follow, as the host and its workers would.
    /// - Returns: the sessions that have left a worker.
    private func finish(_ actions: [SessionTable.Action], in table: inout SessionTable) -> Set<String> {
        var open = actions
        var left: Set<String> = []
        while !open.isEmpty {
            switch open.removeFirst() {
            case .connect(let id, _, let token), .resume(let id, _, let token):
                open += table.connected(id, token: token)
            case .freeze(let id, _, let token): open += table.frozen(id, token: token, state: nil)
            case .store(let id): open += table.stored(id)
            case .withdraw(let id, _, let token): open += table.withdrawn(id, token: token, at: start)
            case .discard(let id, let worker, let token):
                left.insert(id)
                open += table.discarded(id, at: worker, token: token)
            }
        }
        return left
    }

    @Test("Sessions that still waited to leave a worker when it was undrained leave it when it is drained again")
    func again() {
        var table = SessionTable(epoch: 1)
        var actions = attach(1, to: &table)
        let ids = (0..<SessionTable.maximumDraining + 2).map { "s\($0)" }
        for (number, id) in ids.enumerated() {
            let record = SessionRecord(id: id, role: "r", configuration: "Wall", position: Int64(number))
            actions += table.opened(record, links: [], at: start)
        }
        _ = finish(actions, in: &table)
        _ = attach(2, to: &table)
        actions = table.drain(1)
        // The others wait for their turn.
        #expect(actions.count == SessionTable.maximumDraining)
        actions += table.undrain(1)
        actions += table.drain(1)
        let left = finish(actions, in: &table)
        #expect(left == Set(ids))
    }
}
