import Access
import Bus
import Messaging
import Testing
import ZeroMQ

@testable import SceneHost

/// Watchers of a scene that are told of each other.
@Suite(.timeLimit(.minutes(5)))
struct SceneCompanyTests {
    private let start = MonotonicInstant.now
    private var watches = SceneWatches()

    private mutating func ask(
        _ name: String, company: UInt64? = nil, state: SessionState = .waiting, wantsCompany: Bool = true,
        at time: Duration
    ) throws -> SceneWatches.Question {
        let asker = SceneWatches.Asker(
            sender: name, id: name, watchers: SceneWatchers([SceneWatcher(surface: name)]), wantsCompany: wantsCompany)
        let question = watches.ask(
            "s", .init(state: state, company: company), condition: .init(state: .waiting), from: asker,
            at: start + time, time: 100)
        _ = watches.settleCompany(of: "s", at: start + time)
        return try #require(question)
    }

    @Test("Who watches alone waits, and is answered when another one comes, and when it has gone")
    mutating func comesAndGoes() throws {
        let first = try ask("page", at: .zero)
        var answers = watches.answers(of: "s", at: start)
        #expect(answers.isEmpty)
        let other = try ask("terminal", at: .seconds(2))
        answers = watches.answers(of: "s", at: start + .seconds(2))
        let told = try #require(answers[first]?.company)
        #expect(told.watchers == SceneWatchers([SceneWatcher(surface: "terminal")]))
        #expect(answers[other]?.company?.watchers == SceneWatchers([SceneWatcher(surface: "page")]))
        let second = try ask("page", company: told.number, at: .seconds(2))
        answers = watches.answers(of: "s", at: start + .seconds(2))
        #expect(answers.isEmpty)
        // What an answer says anyway has no company that is known.
        let (isNews, next) = watches.settleCompany(of: "s", at: start + .seconds(3))
        #expect(!isNews && next == start + .seconds(2) + SceneWatches.rest)
        let gone = watches.settleCompany(of: "s", at: start + .seconds(7))
        #expect(gone.isNews)
        answers = watches.answers(of: "s", at: start + .seconds(7))
        #expect(answers[second]?.company?.watchers == SceneWatchers())
    }

    @Test("A watcher of an earlier version is told nothing of others, waits as before, and is seen by them")
    mutating func earlierVersion() throws {
        let old = try ask("old", wantsCompany: false, at: .zero)
        let new = try ask("new", at: .seconds(2))
        let answers = watches.answers(of: "s", at: start + .seconds(2))
        #expect(answers[old] == nil)
        #expect(answers[new]?.company?.watchers.named == [SceneWatcher(surface: "old")])
        let unchanged = watches.unchanged(old, of: "s", at: start + .seconds(20))
        #expect(unchanged != nil && unchanged?.company == nil)
    }

    @Test("An answer that is due for another reason has no company that is known")
    mutating func known() throws {
        _ = try ask("terminal", at: .zero)
        let first = try ask("page", at: .seconds(2))
        let told = watches.answers(of: "s", at: start + .seconds(2))[first]?.company
        let second = try ask("page", company: try #require(told).number, state: .running, at: .seconds(2))
        let answer = watches.answers(of: "s", at: start + .seconds(2))[second]
        #expect(answer?.state == .waiting && answer?.company == nil)
    }

    // MARK: - What is attested

    private func access(_ words: String) throws -> PeerAccess {
        let key = String(repeating: "01", count: 32)
        let words = words.split(separator: " ", maxSplits: 2)
        return PeerAccess(
            try KeyEntry(line: ([words[0], words[1], "\(key)"] + words.dropFirst(2)).joined(separator: " ")))
    }

    @Test("A name is that of a user for whom the peer may act, or of its key, whatever the peer says")
    func names() throws {
        func name(_ said: String?, _ actor: MessageActor?, _ access: PeerAccess?) -> String? {
            SceneWatcher(SceneWatcher(surface: "browser", name: said), at: actor, access).name
        }
        // One of this machine may act for every user.
        let plugin = MessageActor(role: .plugin, peer: "console")
        #expect(name("Ada", plugin, nil) == "Ada")
        #expect(name(nil, plugin, nil) == nil)
        for said in ["", " Ada", "Ada\n", "A\u{202E}da", String(repeating: "a", count: 65)] {
            #expect(name(said, plugin, nil) == nil)
        }
        let keyed = MessageActor(role: .plugin, peer: "console-1", key: "console")
        #expect(name("Ada", keyed, try access("console plugin user=A*")) == "Ada")
        #expect(name("Mei", keyed, try access("console plugin user=A*")) == "console")
        #expect(name("Ada", keyed, try access("console plugin")) == "console")
        #expect(name(nil, keyed, try access("console plugin user=*")) == "console")
        let acting = MessageActor(role: .plugin, peer: "console-1", key: "console", user: "Mei")
        #expect(name(nil, acting, try access("console plugin user=*")) == "Mei")
    }

    @Test("A surface is short and in one line, and is the peer's role if the peer says none")
    func surfaces() {
        func surface(_ said: String) -> String {
            let actor = MessageActor(role: .operator, peer: "desk")
            return SceneWatcher(SceneWatcher(surface: said), at: actor, nil).surface
        }
        #expect(surface("front-desk") == "front-desk")
        #expect(surface("") == "operator")
        #expect(!surface("a\u{1B}[2J\nb").contains { $0 == "\u{1B}" || $0 == "\n" })
        #expect(surface(String(repeating: "å", count: 100)).utf8.count <= SceneWatcher.maximumSurface)
        #expect(SceneWatcher(SceneWatcher(surface: ""), at: nil, nil) == SceneWatcher(surface: "host"))
    }
}
