import Messaging
@testable import Hub
import Bus
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AwaitingRequestsTests {
    private let start = MonotonicInstant.now

    private func request(_ name: String, id: UInt64 = 1, size: Int = 0) -> Frame {
        var frame = Frame(.request)
        frame.name = name
        frame.id = id
        frame.payload = Array(repeating: 7, count: size)[...]
        return frame
    }

    private func ids(_ requests: [AwaitingRequests.Request]) -> [UInt64] { requests.map(\.frame.id) }

    /// Returns the keys of what a peer handles.
    private func keys(handles: [String] = [], services: [String] = []) -> Set<Substring> {
        WaitingIDs.keys(
            of: Hello(role: .plugin, peer: "shop", pid: 1, endpoint: "", handles: handles, services: services))
    }

    /// Removes what a peer gets that has got nothing yet.
    private func take(
        _ awaiting: inout AwaitingRequests, for keys: Set<Substring>, count: Int = .max, bytes: UInt64 = .max,
        takesAny: Bool = false
    ) -> [AwaitingRequests.Request] {
        var last: UInt64 = 0
        return awaiting.removeAll(for: keys, after: &last, count: count, bytes: bytes, takesAny: takesAny)
    }

    @Test func `A peer gets the requests that it handles, in order of arrival`() {
        var awaiting = AwaitingRequests()
        for (id, name) in [(1, "a"), (2, "shop/x"), (3, "b"), (4, "a")] as [(UInt64, String)] {
            _ = awaiting.add(request(name, id: id), of: id + 10, until: start + .seconds(1))
        }
        let taken = take(&awaiting, for: keys(handles: ["a", "c"], services: ["shop"]))
        #expect(taken.map(\.frame.id) == [1, 2, 4])
        #expect(taken.map(\.link) == [11, 12, 14])
        #expect(ids(take(&awaiting, for: keys(handles: ["a"]))) == [])
        #expect(ids(awaiting.removeAll()) == [3])
        #expect(awaiting.count == 0)
        #expect(awaiting.bytes == 0)
        #expect(awaiting.nextEnd == nil)
    }

    @Test func `Requests whose waiting time is over are returned, and removed ones are not`() throws {
        var awaiting = AwaitingRequests()
        let left = awaiting.add(request("a", id: 1), of: 1, until: start + .seconds(1))
        _ = awaiting.add(request("a", id: 2), of: 1, until: start + .seconds(2))
        _ = awaiting.add(request("a", id: 3), of: 1, until: start + .seconds(3))
        awaiting.remove(try #require(left))
        #expect(ids(awaiting.removeExpired(at: start + .seconds(2))) == [2])
        #expect(awaiting.nextEnd == start + .seconds(3))
        #expect(ids(take(&awaiting, for: keys(handles: ["a"]))) == [3])
        #expect(awaiting.bytes == 0)
    }

    @Test func `A peer gets requests up to its room, and a larger one only when nothing is in flight`() {
        var awaiting = AwaitingRequests()
        for id in 1...5 as ClosedRange<UInt64> {
            _ = awaiting.add(request("a", id: id, size: id == 3 ? 5000 : 0), of: 1, until: start + .seconds(1))
        }
        let keys = keys(handles: ["a"])
        #expect(ids(take(&awaiting, for: keys, count: 1)) == [1])
        #expect(ids(take(&awaiting, for: keys, count: 0)) == [])
        #expect(ids(take(&awaiting, for: keys, bytes: 2000)) == [2])
        #expect(ids(take(&awaiting, for: keys, bytes: 2000, takesAny: true)) == [3])
        #expect(ids(take(&awaiting, for: keys, count: 9, bytes: 4000)) == [4, 5])
    }

    @Test func `The number and the total size of waiting requests are limited`() throws {
        var awaiting = AwaitingRequests(limits: .init(count: 4, bytes: 6200))
        let (small, large) = (request("a"), request("a", size: 600))
        let ids = [large, large, small, small].map { awaiting.add($0, of: 1, until: start) }
        #expect(ids.map { $0 != nil } == [true, false, true, false])
        awaiting.remove(try #require(ids[0]))
        let next = awaiting.add(large, of: 1, until: start)
        #expect(next != nil)
    }

    @Test func `A peer whose requests fill its share leaves room for others`() {
        var awaiting = AwaitingRequests(limits: .init(count: 10_000))
        var id: UInt64 = 0
        func fill(_ link: UInt64) -> Int {
            var count = 0
            while true {
                id += 1
                guard awaiting.add(request("a", id: id), of: link, until: start) != nil else { return count }
                count += 1
            }
        }
        #expect(fill(1) == 4500)
        #expect(fill(2) == 2250)
        _ = awaiting.removeExpired(at: start)
        #expect(awaiting.count == 0)
        #expect(fill(1) == 4500)
        _ = awaiting.removeAll()
        #expect(awaiting.bytes == 0)
        #expect(fill(3) == 4500)
    }

    @Test func `Requests that another peer would get hide no others, and only the first of each sender is checked`() {
        var awaiting = AwaitingRequests()
        for id in 1...2000 as ClosedRange<UInt64> {
            _ = awaiting.add(request("a", id: id), of: 1, until: start + .seconds(1))
        }
        _ = awaiting.add(request("a", id: 2001), of: 2, until: start + .seconds(1))
        var looked = 0
        var last: UInt64 = 0
        let taken = awaiting.removeAll(for: keys(handles: ["a"]), after: &last, count: 4) {
            looked += 1
            return $0.link == 2
        }
        #expect(ids(taken) == [2001])
        #expect(looked == 2)
    }

    @Test func `The senders of waiting requests take turns at each peer, and the requests of each keep their order`() {
        var awaiting = AwaitingRequests()
        for id in 1...300 as ClosedRange<UInt64> {
            _ = awaiting.add(request(id.isMultiple(of: 2) ? "a" : "b", id: id), of: 1, until: start + .seconds(1))
        }
        for id in 301...302 as ClosedRange<UInt64> {
            _ = awaiting.add(request("a", id: id), of: id, until: start + .seconds(1))
        }
        var last: UInt64 = 0
        var order: [UInt64] = []
        for _ in 1...5 {
            order += ids(awaiting.removeAll(for: keys(handles: ["a", "b"]), after: &last, count: 1))
        }
        #expect(order == [1, 301, 302, 2, 3])
    }

    @Test func `IDs are kept in order and without duplicates`() {
        var ids = WaitingIDs()
        for id in [3, 9, 5, 5, 1] as [UInt64] { ids.insert(id, "a", from: 1, isPassedOn: id == 9) }
        ids.insert(4, "shop/x", from: 2, isPassedOn: false)
        ids.insert(2, "b", from: 1, isPassedOn: false)
        let keys = keys(handles: ["a"], services: ["shop"])
        #expect(ids.ids(for: keys) == [1, 3, 4, 5, 9])
        for id in [5, 7, 1, 3, 9] as [UInt64] { ids.remove(id) }
        #expect(ids.ids(for: keys) == [4])
        ids.remove(4)
        ids.remove(2)
        #expect(ids.isEmpty)
    }
}
