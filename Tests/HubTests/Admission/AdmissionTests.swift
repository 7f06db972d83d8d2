import Messaging
import Bus
import Testing
import ZeroMQ

@testable import Hub

@Suite(.timeLimit(.minutes(5)))
struct AdmissionTests {
    private func hello(
        _ peer: String = "shop", role: PeerRole = .plugin, handles: [String] = [], provides: [String] = [],
        services: [String] = [], scenes: [String] = [], versions: ProtocolVersionRange = .current,
        held: [HeldScene]? = nil
    ) -> Hello {
        Hello(
            role: role, peer: peer, pid: 7, endpoint: "", versions: versions, handles: handles, provides: provides,
            services: services, scenes: scenes, held: held)
    }

    private func refusal(
        of hello: Hello, _ rules: Admission.Rules = .init(), namesake: Int32? = nil, linkCount: Int = 0,
        registration: PeerRegistration? = nil
    ) -> Refusal? {
        Admission.refusal(
            of: hello, rules: rules, namesake: namesake, linkCount: linkCount,
            place: Admission.place(
                for: hello.role, linkCount: linkCount, maximum: rules.maximumLinks, operators: []),
            registration: registration)
    }

    /// Attached operators, by their processes, in the order in which they attached.
    private func operators(
        _ processes: [Int32], busy: Set<UInt64> = [], back: Set<UInt64> = []
    ) -> [Admission.Operator] {
        processes.enumerated().map { index, process in
            let link = UInt64(index + 1)
            return Admission.Operator(
                link: link, owner: .process(process), isBusy: busy.contains(link), hasComeBack: back.contains(link))
        }
    }

    private func registration(_ process: PeerRegistration.Process) -> PeerRegistration {
        PeerRegistration(
            process: process, handles: ["shopSell"], provides: ["stock"], services: ["till"], scenes: ["Wall"])
    }

    @Test func `A peer without a registration may attach`() {
        #expect(refusal(of: hello(handles: ["any"], provides: ["thing"])) == nil)
    }

    @Test func `The refusal of a peer with another version names both versions`() throws {
        let check = Admission.check(hello(versions: ProtocolVersionRange(min: 5, max: 6)))
        guard case .isOfOtherVersion(let refusal) = check else {
            Issue.record("\(check)")
            return
        }
        #expect(refusal.code == .version)
        #expect(refusal.reason.contains("versions 5 to 6"))
        #expect(refusal.reason.contains("this host version 1"))
    }

    @Test func `A peer cannot handle reserved messages or provide reserved entries`() throws {
        let rules = Admission.Rules(reservedMessages: ["hostStatus"], reservedEntries: ["scenebus.absent"])
        let handler = try #require(self.refusal(of: hello(handles: ["shopSell", "hostStatus"]), rules))
        #expect(handler.code == .malformed)
        #expect(handler.reason.contains("'hostStatus'"))
        let provider = try #require(self.refusal(of: hello(provides: ["scenebus.absent"]), rules))
        #expect(provider.code == .malformed)
        #expect(provider.reason.contains("'scenebus.absent'"))
    }

    @Test func `A name can be used only once, and the refusal names the process that has it`() throws {
        let refusal = try #require(self.refusal(of: hello(), namesake: 4711))
        #expect(refusal.code == .taken)
        #expect(refusal.reason.contains("4711"))
    }

    @Test func `The number of peers is limited, and the refusal says how to allow more`() throws {
        let rules = Admission.Rules(maximumLinks: 2, howToAllowMore: "--maximum-links")
        #expect(refusal(of: hello(), rules, linkCount: 1) == nil)
        let refusal = try #require(self.refusal(of: hello(), rules, linkCount: 2))
        #expect(refusal.code == .full)
        #expect(refusal.reason.contains("--maximum-links"))
    }

    @Test func `Some operators can attach to a full host, and then one gives up its place for another`() {
        func place(_ role: PeerRole, others: Int, _ operators: [Admission.Operator]) -> Admission.Place {
            Admission.place(
                for: role, linkCount: others + operators.count, maximum: 20, operators: operators)
        }
        #expect(place(.operator, others: 20, []) == .free)
        #expect(place(.operator, others: 20, operators(Array(1...15))) == .free)
        #expect(place(.operator, others: 20, operators(Array(1...16))) == .of(1))
        #expect(place(.operator, others: 0, operators(Array(1...35))) == .free)
        #expect(place(.operator, others: 0, operators(Array(1...36))) == .of(1))
        // Operators with places of their own take none from others.
        #expect(place(.worker, others: 19, operators(Array(1...16))) == .free)
        #expect(place(.worker, others: 20, operators(Array(1...16))) == .none)
        #expect(place(.worker, others: 20, []) == .none)
        #expect(place(.worker, others: 10, operators(Array(1...26))) == .of(1))
        #expect(place(.plugin, others: 0, operators(Array(1...36))) == .of(1))
    }

    @Test func `The operator that gives up its place is one of the process with the most, idle, and attached longest`()
    {
        func leaving(_ operators: [Admission.Operator]) -> Admission.Place {
            Admission.place(for: .operator, linkCount: operators.count, maximum: 0, operators: operators)
        }
        let several = (1...15).map { Int32($0) } + [99, 99, 16]
        #expect(leaving(operators(several)) == .of(16))
        #expect(leaving(operators(several, busy: [16])) == .of(17))
        #expect(leaving(operators(several, busy: [16, 17])) == .of(16))
        let single = (1...16).map { Int32($0) }
        #expect(leaving(operators(single, busy: [1, 2])) == .of(3))
        // Also operators that are never idle keep none out.
        #expect(leaving(operators(single, busy: Set(1...16))) == .of(1))
    }

    @Test func `An operator that has come back gives up its place first, unless another process has more`() {
        func leaving(_ operators: [Admission.Operator]) -> Admission.Place {
            Admission.place(for: .operator, linkCount: operators.count, maximum: 0, operators: operators)
        }
        let single = (1...16).map { Int32($0) }
        #expect(leaving(operators(single, back: [9, 12])) == .of(9))
        #expect(leaving(operators(single, busy: [9], back: [9, 12])) == .of(12))
        let several = (1...14).map { Int32($0) } + [99, 99]
        #expect(leaving(operators(several, back: [9])) == .of(15))
        // It may be the other one of the process that has come back.
        #expect(leaving(operators(several, back: [16])) == .of(15))
    }

    @Test func `A peer is the same process by its life, or without one if the system says so`() {
        func isSame(
            _ owner: PeerOwner, life: UInt64? = nil, as attachedOwner: PeerOwner, attachedLife: UInt64? = nil
        ) -> Bool {
            var (peer, attached) = (hello(), hello())
            (peer.life, attached.life) = (life, attachedLife)
            return Admission.isSameProcess(peer, of: owner, as: attached, of: attachedOwner)
        }
        #expect(isSame(.process(7), as: .process(7)))
        #expect(!isSame(.process(8), as: .process(7)))
        #expect(!isSame(.unknown, as: .process(7)))
        #expect(!isSame(.machine(-8), as: .machine(-7)))
        // A machine can have another address when it comes back.
        #expect(isSame(.machine(-8), life: 1, as: .machine(-7), attachedLife: 1))
        #expect(!isSame(.process(7), life: 2, as: .process(7), attachedLife: 1))
        #expect(!isSame(.process(7), as: .process(7), attachedLife: 1))
    }

    @Test func `A refusal is logged once for a peer and a reason, until the peer attaches`() {
        var refusals = LoggedRefusals()
        let (full, taken) = (Refusal(.full, "full"), Refusal(.taken, "taken"))
        func isLogged(_ refusal: Refusal, of peer: String) -> Bool {
            refusals.note(refusal, of: peer, key: nil, at: .now) != nil
        }
        let first = [
            isLogged(full, of: "a"), isLogged(full, of: "a"), isLogged(full, of: "b"), isLogged(taken, of: "a"),
        ]
        #expect(first == [true, false, true, true])
        refusals.attached("a")
        #expect(isLogged(taken, of: "a"))
    }

    @Test func `Refusals under one name after another fill no log, and the next line counts them`() throws {
        var refusals = LoggedRefusals()
        let start = MonotonicInstant.now
        let keys = try (0..<3).map { _ in try KeyPair().publicKey }
        var number = 0
        func lines(of key: PublicKey?, _ count: Int, at now: MonotonicInstant = start) -> [Int] {
            (0..<count).compactMap { _ in
                number += 1
                return refusals.note(Refusal(.taken, "taken"), of: "a-\(number)", key: key, at: now)
            }
        }
        #expect(lines(of: keys[0], 3000) == Array(repeating: 0, count: 10))
        // Another key has its own lines.
        #expect(lines(of: keys[1], 20) == [2990] + Array(repeating: 0, count: 9))
        #expect(lines(of: nil, 1000) == [10] + Array(repeating: 0, count: 79))
        #expect(lines(of: keys[2], 20) == [])
        // A peer that found no room for its line has one when there is.
        #expect(refusals.note(Refusal(.taken, "taken"), of: "late", key: keys[2], at: start) == nil)
        #expect(refusals.note(Refusal(.taken, "taken"), of: "late", key: keys[2], at: start + .seconds(60)) == 941)
    }

    @Test func `Only the registered process may use a registered name`() throws {
        #expect(refusal(of: hello(), registration: registration(.running(pid: 7, saidHello: true))) == nil)
        let stranger = try #require(
            self.refusal(of: hello(), registration: registration(.running(pid: 8, saidHello: false))))
        #expect(stranger.code == .taken)
        #expect(stranger.reason.contains("process 8"))
        let early = try #require(self.refusal(of: hello(), registration: registration(.starting)))
        #expect(early.code == .taken)
        #expect(early.reason.contains("try again"))
    }

    @Test(
        arguments: [
            ("handles", ["shopSell", "shopSteal"], [], [], []), ("provides", [], ["stock", "shopSteal"], [], []),
            ("services", [], [], ["till", "shopSteal"], []), ("scenes", [], [], [], ["Wall", "shopSteal"]),
        ] as [(String, [String], [String], [String], [String])])
    func `A registered peer may only do what its registration lists`(
        what: String, handles: [String], provides: [String], services: [String], scenes: [String]
    ) throws {
        let registration = registration(.running(pid: 7, saidHello: true))
        let hello = hello(handles: handles, provides: provides, services: services, scenes: scenes)
        let refusal = try #require(self.refusal(of: hello, registration: registration))
        #expect(refusal.code == .unauthorized)
        #expect(refusal.reason.contains("\(what) shopSteal, which"))
        let listed = self.hello(handles: ["shopSell"], provides: ["stock"], services: ["till"], scenes: ["Wall"])
        #expect(self.refusal(of: listed, registration: registration) == nil)
    }

    @Test(
        arguments: [
            ("handles 'shopSell'", ["shopBuy", "shopSell"], [], []), ("provides 'stock'", [], ["stock"], []),
            ("offers 'till'", [], [], ["till"]),
        ] as [(String, [String], [String], [String])])
    func `What a plugin's manifest lists is only for its own process, and the refusal names both`(
        what: String, handles: [String], provides: [String], services: [String]
    ) throws {
        var rules = Admission.Rules()
        rules.claims.add(plugin: "shop", handles: ["shopSell"], provides: ["stock"], services: ["till"])
        let thief = hello("thief", handles: handles, provides: provides, services: services)
        let refusal = try #require(self.refusal(of: thief, rules))
        #expect(refusal.code == .unauthorized)
        #expect(refusal.reason.contains("'thief' \(what)"))
        #expect(refusal.reason.contains("'shop'"))
        // The plugin's own process, and what no manifest lists.
        let own = hello(handles: ["shopSell"], provides: ["stock"], services: ["till"])
        #expect(self.refusal(of: own, rules, registration: registration(.running(pid: 7, saidHello: true))) == nil)
        #expect(self.refusal(of: hello("other", handles: ["shopBuy"], scenes: ["Wall"]), rules) == nil)
    }

    @Test func `A hub that has fallen behind admits only operators and plugins`() {
        var admission = Admission()
        let now = MonotonicInstant.now
        let held = [HeldScene(session: "s", token: 1)]
        for (role, held, hasTime) in [
            (.operator, nil, true), (.plugin, nil, true), (.worker, nil, false), (.worker, held, false),
            (.monitor, nil, false),
        ] as [(PeerRole, [HeldScene]?, Bool)] {
            #expect(admission.hasTime(for: hello(role: role, held: held), isBehind: true, at: now) == hasTime)
            #expect(admission.hasTime(for: hello(role: role, held: held), isBehind: false, at: now) == true)
        }
    }

    @Test func `Workers with scenes are admitted independently of the rate for workers without`() {
        var admission = Admission()
        admission.newcomers = AdmissionRate(burst: 1, rate: 1)
        let now = MonotonicInstant.now
        #expect(admission.hasTime(for: hello(role: .worker), isBehind: false, at: now) == true)
        #expect(admission.hasTime(for: hello(role: .worker), isBehind: false, at: now) == false)
        let held = [HeldScene(session: "s", token: 1)]
        #expect(admission.hasTime(for: hello(role: .worker, held: held), isBehind: false, at: now) == true)
    }

    @Test func `A peer that is refused as busy is told when to come again, some sooner than others`() {
        var admission = Admission()
        let now = MonotonicInstant.now
        let held = [HeldScene(session: "s", token: 1)]
        for _ in 0..<10_000 {
            _ = admission.busy(hello(role: .worker), at: now)
            _ = admission.busy(hello(role: .worker, held: held), at: now)
        }
        let waits = [
            admission.busy(hello(role: .worker), at: now).wait,
            admission.busy(hello(role: .worker, held: held), at: now).wait,
            admission.busy(hello(role: .monitor), at: now).wait,
            admission.busy(hello(role: .worker), at: now + .seconds(6)).wait,
        ]
        #expect(waits == [2001, 501, 501, 3])
    }
}
