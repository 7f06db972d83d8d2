import Messaging
import Testing

extension AppDependency {
    @Entry(.session) var seat: String?
    @Entry(.session) var order: Ticket?
    @Entry(.local) var waiter: String?
}

@Suite(.timeLimit(.minutes(5)))
struct SessionEntryTests {
    private func container() throws -> AppDependency {
        var container = AppDependency { $0.guestCount = 7 }
        try container.set(\.seat, to: "window", ofSession: "one")
        try container.set(\.seat, to: "door", ofSession: "two")
        return container
    }

    @Test func `A session's container has its own values under their names, and none of another session`() throws {
        let all = try container()
        let one = all.container(of: "one")
        #expect(one.seat == "window" && one.guestCount == 7)
        #expect(all.container(of: "two").seat == "door")
        #expect(all.container(of: "three").seat == nil)
        #expect(all.seat == nil)
        #expect(one.keys == ["guestCount", "seat@one"])
        #expect(one.value(of: "seat@two", as: String.self) == nil)
        #expect(all.keys == ["guestCount", "seat@one", "seat@two"])
        #expect(one.container(of: "one").seat == "window")
        #expect(one.container(of: "two").seat == nil)
    }

    @Test func `An entry of a session crosses the bus under its name and its session`() throws {
        let all = try container()
        var copy = AppDependency()
        for key in all.keys { copy.setEncoded(try all.entry(of: key)?.encoded(), of: key) }
        #expect(copy.container(of: "two").seat == "door")
        copy.setEncoded(nil, of: "seat@two")
        #expect(copy.container(of: "two").seat == nil)
        #expect(copy.keys == ["guestCount", "seat@one"])
        try copy.set(\.order, to: Ticket(3), ofSession: "two")
        #expect(copy.container(of: "two").order == Ticket(3))
    }

    @Test func `A change in one session is none for the container of another`() throws {
        let before = try container()
        var after = before
        try after.set(\.seat, to: "bar", ofSession: "one")
        #expect(after.changedKeys(since: before) == ["seat@one"])
        #expect(after.container(of: "one").changedKeys(since: before.container(of: "one")) == ["seat@one"])
        #expect(AppDependency.areSame(after.container(of: "two"), before.container(of: "two")))
        after.guestCount = 8
        #expect(after.container(of: "two").changedKeys(since: before.container(of: "two")) == ["guestCount"])
    }

    @Test func `Containers without a common past are compared with the entries of sessions, too`() throws {
        var other = AppDependency()
        try other.set(\.seat, to: "bar", ofSession: "two")
        #expect(try container().changedKeys(since: other) == ["guestCount", "seat@one", "seat@two"])
        #expect(try !AppDependency.areSame(container(), other))
    }

    @Test func `Only an entry of sessions can be set for one of them`() throws {
        var container = AppDependency()
        #expect(throws: EntryRefused.self) { try container.set(\.guestCount, to: 1, ofSession: "one") }
        #expect(throws: EntryRefused.self) { try container.set(\.waiter, to: "Bo", ofSession: "one") }
        #expect(container.keys.isEmpty)
        #expect(container.waiter == nil)
    }

    @Test func `A container that was made by hand gives its values to the session that gets it`() {
        var made = AppDependency { $0.seat = "window" }
        #expect(made.seat == "window" && made.misplacedNames == ["seat"])
        let first = made.container(of: "one")
        #expect(first.seat == "window" && first.misplacedNames.isEmpty)
        made.seat = "door"
        let second = made.container(of: "one")
        #expect(second.seat == "door")
        #expect(!AppDependency.areSame(first, second))
        made.removeMisplacedEntries()
        #expect(made.seat == nil)
    }

    @Test func `Removing a session's entries leaves the others`() throws {
        var container = try container()
        #expect(container.count(ofSession: "one") == 1)
        container.removeEntries(ofSession: "one")
        #expect(container.keys == ["guestCount", "seat@two"])
    }

    @Test(arguments: [("seat@one", "seat", "one"), ("seat@", "seat", ""), ("a@b@c", "a@b", "c")])
    func `A key with an @ is that of a session's entry`(key: String, name: String, session: String) {
        #expect(SessionEntryKey(key) == SessionEntryKey(name, of: session))
        #expect(SessionEntryKey(name, of: session).text == key)
        #expect(SessionEntryKey.name(in: key) == name)
    }

    @Test func `A key without an @ is that of an entry which all sessions share`() {
        #expect(SessionEntryKey("seat") == nil)
        #expect(SessionEntryKey.name(in: "seat") == "seat")
    }

    @Test func `Whether the owner is gone is known by the name of a session's entry`() throws {
        var container = try container()
        container.setValue(["seat"], of: AppDependency.absentKey)
        #expect(container.container(of: "one").isOwnerGone(of: \.seat))
    }
}
