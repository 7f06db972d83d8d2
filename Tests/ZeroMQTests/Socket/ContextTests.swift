import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(5)))
struct ContextTests {
    @Test func `The libzmq version is new enough`() {
        let (major, minor, _) = SocketContext.libraryVersion
        let isNewEnough = major > 4 || (major == 4 && minor >= 3)
        #expect(isNewEnough)
    }

    @Test func `Open sockets are counted until they are closed`() throws {
        let context = SocketContext()
        #expect(context.openSockets == 0)
        do {
            let first = try Socket(.pair, in: context)
            #expect(context.openSockets == 1)
            let second = try Socket(.pair, in: context)
            #expect(context.openSockets == 2)
            _ = [first.lastEndpoint, second.lastEndpoint]
        }
        #expect(context.openSockets == 0)
    }

    @Test func `A full context reports that it has too many sockets`() throws {
        let context = SocketContext(maximumSockets: 1)
        do {
            let only = try Socket(.pair, in: context)
            do {
                _ = try Socket(.pair, in: context)
                Issue.record("a second socket in a context for one")
            } catch {
                #expect(error.isTooManySockets)
            }
            #expect(context.openSockets == 1)
            _ = only.lastEndpoint
        }
        #expect(context.openSockets == 0)
    }

    @Test func `Inproc addresses belong to one context`() throws {
        let one = SocketContext()
        let other = SocketContext()
        do {
            let first = try Socket(.pair, in: one)
            try first.bind("inproc://same")
            let second = try Socket(.pair, in: other)
            try second.bind("inproc://same")
            _ = [first.lastEndpoint, second.lastEndpoint]
        }
        #expect(one.openSockets == 0)
        #expect(other.openSockets == 0)
    }
}
