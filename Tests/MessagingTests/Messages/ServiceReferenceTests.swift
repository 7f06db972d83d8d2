import CBOR
import Messaging
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ServiceReferenceTests {
    @Test func `Messages reach the responder that is provided under the name`() async throws {
        let responder = CounterResponder()
        ServiceDirectory.shared.provide("reference-tests.offered", responder)
        let counter = ServiceReference<any CounterMessages>("reference-tests.offered")
        #expect(try await counter.counterAdd(1, note: "one") == 2)
        try await counter.counterReset(to: 3)
        counter.counterShow(page: "total")
        #expect(responder.log.lines == ["add 1 one", "reset 3", "show total"])
        ServiceDirectory.shared.withdraw("reference-tests.offered")
        await #expect(throws: MessageError.self) { try await counter.counterReset(to: 4) }
        #expect(responder.log.lines.count == 3)
    }

    @Test func `A message that the service does not implement climbs its chain`() async throws {
        let (part, top) = (ResettingResponder(), CounterResponder())
        top.place(part)
        ServiceDirectory.shared.provide("reference-tests.part", part)
        let counter = ServiceReference<any CounterMessages>("reference-tests.part")
        #expect(try await counter.counterAdd(1, note: "one") == 2)
        #expect(top.log.lines == ["add 1 one"])
    }

    @Test func `Providing a service does not retain the responder`() async {
        do {
            let responder = CounterResponder()
            ServiceDirectory.shared.provide("reference-tests.freed", responder)
            #expect(ServiceDirectory.shared.localResponder(for: "reference-tests.freed") === responder)
        }
        #expect(ServiceDirectory.shared.localResponder(for: "reference-tests.freed") == nil)
    }

    @Test func `The error for an unknown service names it`() async {
        let counter = ServiceReference<any CounterMessages>("reference-tests.unknown")
        let error = await #expect(throws: MessageError.self) { try await counter.counterReset(to: 1) }
        #expect(error?.code == .unhandled)
        #expect(error?.message == "counterReset")
        #expect(error?.detail == "the service 'reference-tests.unknown' is not known here")
        #expect(error?.path == [])
        let lost = ServiceReference<any ServiceLostMessages>("reference-tests.unknown")
        let before = UnhandledPosts.shared.counts["serviceLost", default: 0]
        lost.serviceLost()
        #expect(UnhandledPosts.shared.counts["serviceLost"] == before + 1)
    }

    @Test func `A reference is encoded as its name`() throws {
        let counter = ServiceReference<any CounterMessages>("counter")
        let bytes = try CBOREncoder().encode(counter)
        #expect(try CBORValue(decoding: bytes) == .string("counter"))
        #expect(try CBORDecoder().decode(ServiceReference<any CounterMessages>.self, from: bytes) == counter)
    }

    @Test func `A container entry that arrives encoded works as a reference`() async throws {
        let responder = CounterResponder()
        ServiceDirectory.shared.provide("reference-tests.entry", responder)
        var container = AppDependency()
        container.setEncoded(CBORValue.string("reference-tests.entry").encoded(), of: "guestCounter")
        #expect(try await container.guestCounter?.counterAdd(5, note: "five") == 6)
        #expect(responder.log.lines == ["add 5 five"])
    }

    @Test func `A service of this process is preferred to one of another process with the same name`() {
        let directory = ServiceDirectory()
        let (local, remote) = (CounterResponder(), CounterResponder())
        directory.remote = { _ in remote }
        #expect(directory.responder(for: "counter") === remote)
        directory.provide("counter", local)
        #expect(directory.responder(for: "counter") === local)
        directory.withdraw("counter")
        #expect(directory.responder(for: "counter") === remote)
    }
}

@ResponderMessages protocol ServiceLostMessages {
    func serviceLost()
}

extension ServiceReference: ServiceLostMessages where Messages == any ServiceLostMessages {
}
