import Bus
import Messaging
import Testing

@testable import SceneHost

/// Entries with a value for each session, in the host's container.
@Suite(.timeLimit(.minutes(5)))
struct SessionEntriesTests {
    private var table = ContainerTable()
    private var container = AppDependency()
    private var published: [[String: [UInt8]?]] = []
    private var refused: [String: SessionEntryRefusal] = [:]
    private var leftOut: [String] = []

    private mutating func perform(_ actions: [ContainerTable.Action]) {
        for action in actions {
            switch action {
            case .publish(let change): published.append(change.entries.values)
            case .leaveOutOfSession(let key, _, let refusal): refused[key] = refusal
            case .leaveOut(let keys, _): leftOut += keys
            case .refuse, .noRoom, .makeRoom: break
            case .show(let new):
                container = new
                perform(table.shown(container))
            }
        }
    }

    private mutating func set(
        _ entries: [String: [UInt8]?], by peer: String = "accounts", closed: Set<String> = []
    ) {
        perform(
            table.set(entries, by: peer, providing: ["account", "theme"]) {
                closed.contains($0.session) ? .notOpen(session: $0.session) : nil
            })
    }

    private func value(_ key: String) -> [UInt8]? { table.entries.entry(of: key)?.value }

    @Test("A peer that provides a name sets it for sessions, as one change")
    mutating func sets() {
        set(["account@one": [1], "account@two": [2]])
        #expect(published == [["account@one": [1], "account@two": [2]]])
        #expect(container.container(of: "one").entry(of: "account@one") != nil)
        #expect(table.owners.keys(of: "accounts") == ["account@one", "account@two"])
        set(["password@one": [1]])
        #expect(leftOut == ["password@one"])
        #expect(published.count == 1)
    }

    @Test("An entry of a session that is not open is left out, and the others are set")
    mutating func notOpen() {
        set(["account@one": [1], "account@two": [2]], closed: ["two"])
        #expect(refused == ["account@two": .notOpen(session: "two")])
        #expect(published == [["account@one": [1]]])
    }

    @Test("The entries of a session are removed when it is closed, whoever has set them")
    mutating func closing() {
        set(["account@one": [1], "account@two": [2]])
        set(["theme@one": [3]], by: "looks")
        perform(table.closed(session: "one"))
        #expect(published.last == ["account@one": nil, "theme@one": nil])
        #expect(container.keys == ["account@two"])
        #expect(table.owners.size(of: "looks") == 0)
        let count = published.count
        perform(table.closed(session: "one"))
        #expect(published.count == count)
    }

    @Test("A session has a bounded number of entries, of which no peer takes all, and those that it has can change")
    mutating func bounded() {
        let names = (0..<ContainerTable.maximumSessionEntries + 1).map { "n\($0)" }
        let all = Dictionary(uniqueKeysWithValues: names.map { ("\($0)@one", [UInt8]?.some([1])) })
        perform(table.set(all, by: "p", providing: Set(names)))
        #expect(refused.count == names.count - ContainerTable.maximumSessionEntries / 2)
        #expect(refused.values.first == .full(session: "one"))
        #expect(container.count(ofSession: "one") == ContainerTable.maximumSessionEntries / 2)
        let kept = container.keys[0]
        perform(table.set([kept: [2]], by: "p", providing: Set(names)))
        #expect(value(kept) == [2])
        set(["account@two": [1]])
        #expect(value("account@two") == [1])
        set(["theme@one": [3]], by: "looks")
        #expect(value("theme@one") == [3])
    }

    @Test("A peer that begins anew and removes a name also removes what an earlier process has set of it for sessions")
    mutating func restarted() {
        table.attached("accounts", sharing: "accounts")
        set(["account@one": [1], "account@two": [2]])
        set(["account": nil, "account@two": [3]])
        #expect(container.keys == ["account@two"])
        #expect(value("account@two") == [3])
    }

    @Test("What an attached peer has set for sessions stays when another begins; what an absent one has set does not")
    mutating func others() {
        table.attached("accounts", sharing: "accounts")
        table.attached("old", sharing: "old")
        set(["account@one": [1]])
        set(["account@two": [2]], by: "old")
        table.detached("old", at: .now)
        set(["account": nil], by: "new")
        #expect(container.keys == ["account@one"])
    }

    @Test("The list of absent owners' entries has the name of sessions' entries once")
    mutating func absent() {
        table.attached("accounts", sharing: "accounts")
        set(["account@one": [1], "account@two": [2], "theme": [1]])
        table.detached("accounts", at: .now)
        perform(table.publishAbsence())
        #expect(container.container(of: "one").isOwnerGone(of: "account"))
        #expect(container.value(of: AppDependency.absentKey, as: [String].self) == ["account", "theme"])
    }
}
