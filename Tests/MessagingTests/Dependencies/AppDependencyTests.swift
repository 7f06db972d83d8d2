import CBOR
import Messaging
import Synchronization
import Testing

struct Guest: Codable, Hashable, Sendable {
    var name: String
    var age: Int?
}

extension AppDependency {
    @Entry var guest: Guest?
    @Entry var guestCount: Int?
    @Entry var guestList: [String: [Guest]]?
    @Entry var guestCounter: ServiceReference<any CounterMessages>?
    @Entry var guestProbe: Probe?
    @Entry var guestTicket: Ticket?
}

/// Writes and reads itself, and cannot cross as `Codable`.
struct Ticket: CBORItem, Hashable, Sendable {
    struct NotThroughCodable: Error {}
    let number: Int

    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws { throw NotThroughCodable() }
    func encode(to encoder: any Encoder) throws { throw NotThroughCodable() }
    init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        number = try reader.readItem(Int.self)
    }
    func writeItem(to writer: inout CBORWriter) throws { try writer.writeItem(number) }
}

/// Counts how often a value is decoded.
struct Probe: Codable, Sendable {
    static let decoded = Mutex(0)
    let number: Int

    init(number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
        Self.decoded.withLock { $0 += 1 }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct AppDependencyTests {
    @Test(arguments: 0..<8)
    func `Entries can be present in any combination`(combination: Int) {
        let guest = combination & 1 == 0 ? nil : Guest(name: "Ada", age: 36)
        let count = combination & 2 == 0 ? nil : 7
        let list = combination & 4 == 0 ? nil : ["table 1": [Guest(name: "Bo")]]
        let container = AppDependency {
            $0.guest = guest
            $0.guestCount = count
            $0.guestList = list
        }
        #expect(container.guest == guest)
        #expect(container.guestCount == count)
        #expect(container.guestList == list)
        let expected = [guest.map { _ in "guest" }, count.map { _ in "guestCount" }, list.map { _ in "guestList" }]
        #expect(container.keys == expected.compactMap { $0 })
    }

    @Test func `An entry whose value writes itself is written and read without Codable`() throws {
        let sender = AppDependency { $0.guestTicket = Ticket(7) }
        let bytes = try #require(try sender.entry(of: "guestTicket")?.encoded())
        #expect(bytes == [7])
        var receiver = AppDependency()
        receiver.setEncoded(bytes, of: "guestTicket")
        #expect(receiver.guestTicket == Ticket(7))
        #expect(receiver.problem(with: "guestTicket") == nil)
        // It is also encoded again, after it was read.
        #expect(try receiver.entry(of: "guestTicket")?.encoded() == bytes)
        // Another type reads its encoding.
        #expect(sender.value(of: "guestTicket", as: UInt8.self) == 7)
    }

    @Test func `An entry can be set, updated and removed`() {
        var container = AppDependency()
        #expect(container.guest == nil)
        container.guest = Guest(name: "Ada")
        container.guest?.age = 37
        #expect(container.guest == Guest(name: "Ada", age: 37))
        container.guest = Guest(name: "Bo")
        #expect(container.guest == Guest(name: "Bo"))
        container.guest = nil
        #expect(container.guest == nil)
        #expect(container.keys == [])
    }

    @Test func `A key path identifies the entry that it reads`() {
        #expect(AppDependency.key(of: \.guestCount) == "guestCount")
        #expect(AppDependency.key(of: \.guest?.age) == "guest")
    }

    @Test func `A container has value semantics`() {
        let first = AppDependency { $0.guestCount = 1 }
        var second = first
        second.guestCount = 2
        second.guest = Guest(name: "Ada")
        #expect(first.guestCount == 1)
        #expect(first.guest == nil)
        #expect(second.guestCount == 2)
    }

    @Test func `The changed keys are those that were set, added or removed`() {
        let old = AppDependency {
            $0.guest = Guest(name: "Ada")
            $0.guestCount = 1
            $0.guestList = [:]
        }
        var new = old
        #expect(new.changedKeys(since: old) == [])
        new.guestCount = 2
        new.guest = nil
        new.guestCounter = ServiceReference("counter")
        #expect(new.changedKeys(since: old) == ["guest", "guestCount", "guestCounter"])
        #expect(old.changedKeys(since: new) == ["guest", "guestCount", "guestCounter"])
        #expect(new.changedKeys(since: AppDependency()) == ["guestCount", "guestCounter", "guestList"])
    }

    @Test(arguments: [1, 5, 127, 128, 129, 130, 300])
    func `The changed keys are found, however many changes lie between two containers`(count: Int) {
        func value(_ number: Int) -> [UInt8] { [0x18, UInt8(truncatingIfNeeded: number)] }
        var container = AppDependency { $0.setEncoded(value(0), of: "kept") }
        let before = container
        for number in 0..<count { container.setEncoded(value(number), of: "key\(number)") }
        container.setEncoded(nil, of: "key0")
        let set = (1..<count).map { "key\($0)" }.sorted()
        #expect(container.changedKeys(since: before) == set)
        #expect(before.changedKeys(since: container) == set)
        #expect(container.changedKeys(since: container) == [])
        #expect(container.changedKeys(since: AppDependency()) == (set + ["kept"]).sorted())
        #expect(AppDependency().changedKeys(since: container) == (set + ["kept"]).sorted())
    }

    @Test func `A container knows whether it derives from another, however often both have changed`() {
        var container = AppDependency()
        container.guestCount = 0
        var former = [container]
        for count in 1...1000 {
            container.guestCount = count
            former.append(container)
            #expect(former.suffix(100).allSatisfy { container.isChange(of: $0) })
            #expect(container.changedKeys(since: former[count - 1]) == ["guestCount"])
        }
        let other = AppDependency { $0.guestCount = 1000 }
        #expect(!other.isChange(of: container))
    }

    @Test func `Two containers with a common origin differ in what either has set`() {
        let common = AppDependency { $0.setEncoded([1], of: "common") }
        var (one, other) = (common, common)
        one.setEncoded([2], of: "one")
        other.setEncoded([3], of: "other")
        #expect(one.changedKeys(since: other) == ["one", "other"])
        #expect(one.changedKeys(since: common) == ["one"])
        one = common
        #expect(one.changedKeys(since: common) == [])
    }

    @Test func `On the wire an entry's key is its property's name`() throws {
        let container = AppDependency { $0.guest = Guest(name: "Ada", age: 36) }
        let bytes = try #require(container.entry(of: "guest")).encoded()
        #expect(try CBORValue(decoding: bytes) == ["name": "Ada", "age": 36])
    }

    @Test func `An encoded entry is decoded once, when it is first read`() throws {
        var container = AppDependency()
        container.setEncoded(try CBOREncoder().encode(5), of: "guestProbe")
        let copy = container
        #expect(container.keys == ["guestProbe"])
        #expect(Probe.decoded.withLock { $0 } == 0)
        #expect(container.guestProbe?.number == 5)
        #expect(container.guestProbe?.number == 5)
        #expect(copy.guestProbe?.number == 5)
        #expect(Probe.decoded.withLock { $0 } == 1)
    }

    @Test func `An entry of the wrong type is nil, and the container reports the reason`() throws {
        var container = AppDependency()
        container.setEncoded(try CBOREncoder().encode(["age": 3]), of: "guest")
        #expect(container.problem(with: "guest") == nil)
        #expect(container.guest == nil)
        let problem = try #require(container.problem(with: "guest"))
        #expect(problem.hasPrefix("it is not a Guest: "))
        #expect(problem.contains("name"))
        #expect(container.problem(with: "guestCount") == nil)
        container.guest = Guest(name: "Ada")
        #expect(container.guest == Guest(name: "Ada"))
        #expect(container.problem(with: "guest") == nil)
    }

    @Test func `An entry that was set as another type is read through its encoding`() {
        var container = AppDependency()
        container.setValue(["name": "Ada"], of: "guest")
        #expect(container.guest == Guest(name: "Ada"))
        container.setValue("many", of: "guestCount")
        #expect(container.guestCount == nil)
        #expect(container.problem(with: "guestCount") != nil)
    }

    @Test func `An entry that this process does not know is carried unchanged`() throws {
        var container = AppDependency { $0.guestCount = 1 }
        container.setEncoded([0x82, 0x01, 0x02], of: "later.version")
        var other = AppDependency()
        other.setEntry(container.entry(of: "later.version"), of: "later.version")
        #expect(try other.entry(of: "later.version")?.encoded() == [0x82, 0x01, 0x02])
        container.setEncoded(nil, of: "later.version")
        #expect(container.keys == ["guestCount"])
    }

    /// It is not `Sendable`, and its deinitializer uses what belongs to the main actor.
    private final class Camera {
        @MainActor final class Log { var endCount = 0 }

        private let log: Log

        init(_ log: Log) { self.log = log }

        deinit { MainActor.assumeIsolated { [log] in log.endCount += 1 } }
    }

    @MainActor
    @Test func `A local object of the main actor is released there, whoever releases its container last`() async {
        let log = Camera.Log()
        var container = AppDependency()
        container.setLocalMainActorObject(Camera(log), of: "camera")
        #expect(container.localMainActorObject(of: "camera", as: Camera.self) != nil)
        let last = Mutex<AppDependency?>(container)
        container = AppDependency()
        #expect(log.endCount == 0)
        await Task.detached { last.withLock { $0 = nil } }.value
        while log.endCount == 0 { await Task.yield() }
        #expect(log.endCount == 1)
    }

    @MainActor
    @Test func `A local object of the main actor is not read as one that is Sendable, and is otherwise`() {
        var container = AppDependency()
        container.setLocalMainActorObject(7, of: "number")
        #expect(container.localObject(of: "number", as: Int.self) == nil)
        #expect(container.localMainActorObject(of: "number", as: Int.self) == 7)
        container.setLocalObject(8, of: "number", as: Int.self)
        #expect(container.localObject(of: "number", as: Int.self) == 8)
        #expect(container.localMainActorObject(of: "number", as: Int.self) == 8)
        #expect(container.localMainActorObject(of: "number", as: String.self) == nil)
    }
}
