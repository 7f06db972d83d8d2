import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct SessionOrderTests {
    private func key(_ number: Int) -> SessionOrder.Key { SessionOrder.Key(position: Int64(number), id: "s\(number)") }

    /// Reads all pages.
    /// - Parameter between: Called after each page.
    private func read(
        _ order: inout SessionOrder, limit: Int, between: (inout SessionOrder, Int) -> Void = { _, _ in }
    ) -> [SessionOrder.Key] {
        var all: [SessionOrder.Key] = []
        var after: SessionOrder.Key?
        var page = 0
        repeat {
            let (open, last) = order.keys(after: after, limit: limit)
            all += open
            after = last
            page += 1
            between(&order, page)
        } while after != nil
        return all
    }

    @Test(arguments: [1, 2, 7, 100, 1000])
    func `Pages contain each session once, in order`(limit: Int) {
        var order = SessionOrder()
        for number in 0..<100 { order.insert(key(number)) }
        #expect(read(&order, limit: limit) == (0..<100).map(key))
    }

    @Test func `Sessions closed or opened between two pages cause no omissions and no duplicates`() {
        var order = SessionOrder()
        for number in 0..<100 { order.insert(key(number)) }
        let all = read(&order, limit: 10) { order, page in
            // Remove the session at which the page ended, one before it and one after it; then add a new one.
            for number in [page * 10 - 1, page * 10 - 5, page * 10 + 5] { order.remove(key(number)) }
            if page < 5 { order.insert(key(1000 + page)) }
        }
        let left = (0..<100).filter { $0 < 10 || $0 % 10 != 5 }.map(key)
        #expect(all == left + (1001...1004).map(key))
    }

    @Test func `Gaps are removed, and a page position inside a gap stays valid`() {
        var order = SessionOrder()
        for number in 0..<1000 { order.insert(key(number)) }
        let (_, last) = order.keys(after: nil, limit: 10)
        for number in 0..<900 { order.remove(key(number)) }
        #expect(order.ids == (900..<1000).map { "s\($0)" })
        #expect(order.keys(after: last, limit: 500).open == (900..<1000).map(key))
        order.insert(key(5))
        order.insert(key(950))
        #expect(order.ids.count == 101)
    }

    @Test func `The text of a page position names no session, and the next page begins after it`() throws {
        var order = SessionOrder()
        for number in 1...9 { order.insert(key(number)) }
        let last = try #require(order.keys(after: nil, limit: 4).last)
        #expect(last == key(4) && last.description == "4")
        #expect(order.keys(after: SessionOrder.Key(last.description), limit: 9).open == (5...9).map(key))
        for text in ["", "x", "7.a", ".a"] { #expect(SessionOrder.Key(text) == nil) }
    }
}
