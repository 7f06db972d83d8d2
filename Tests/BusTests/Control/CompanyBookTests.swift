import Monotonic
import Testing

@testable import Bus

/// Who is told who else watches a scene. The tests say the time.
@Suite(.timeLimit(.minutes(5)))
struct CompanyBookTests {
    private static let rest = Duration.seconds(5)

    private let start = MonotonicInstant.now
    private var book = CompanyBook<String>(maximum: 1000)

    private mutating func come(_ ids: String..., at time: Duration) -> Bool {
        for id in ids { book.come(id, as: SceneWatchers([SceneWatcher(surface: id)])) }
        return settle(at: time)
    }

    private mutating func settle(at time: Duration) -> Bool { book.settle(at: start + time).isNews }

    @Test("Who is alone is told nothing; who comes and goes is told to the others, and never to itself")
    mutating func company() {
        let first = come("page", at: .zero)
        #expect(first && !book.hasNews(for: "page", known: nil))
        #expect(book.company(of: "page", known: nil) == nil)
        let second = come("terminal", at: .seconds(2))
        #expect(second)
        let told = book.company(of: "page", known: nil)
        #expect(told?.watchers == SceneWatchers([SceneWatcher(surface: "terminal")]))
        #expect(book.company(of: "page", known: told?.number) == nil)
        #expect(book.others(than: "terminal") == SceneWatchers([SceneWatcher(surface: "page")]))
        #expect(book.others(than: "another").count == 2 && book.everyone.count == 2)
        book.go("terminal", at: start + .seconds(3), rest: Self.rest)
        // It may come again in a moment.
        let early = settle(at: .seconds(7))
        #expect(!early && book.company(of: "page", known: told?.number) == nil)
        let late = settle(at: .seconds(8))
        #expect(late && book.company(of: "page", known: told?.number)?.watchers == SceneWatchers())
    }

    @Test("Who comes again in time has never gone, also if it was here twice")
    mutating func again() {
        _ = come("page", "terminal", "terminal", at: .zero)
        for second in 1...30 {
            book.go("terminal", at: start + .seconds(second), rest: Self.rest)
            let isNews = come("terminal", at: .seconds(second))
            #expect(!isNews)
        }
        book.go("terminal", at: start + .seconds(31), rest: Self.rest)
        let once = settle(at: .seconds(60))
        #expect(!once && book.others(than: "page").count == 1)
        book.go("terminal", at: start + .seconds(61), rest: Self.rest)
        let twice = settle(at: .seconds(70))
        #expect(twice && book.others(than: "page").count == 0)
        // What goes without having come is nothing.
        book.go("nobody", at: start, rest: Self.rest)
        let nothing = settle(at: .seconds(80))
        #expect(!nothing)
    }

    @Test("Many who come in the same moment are one change, of which some are named and the others counted")
    mutating func many() {
        _ = come("page", at: .zero)
        for number in 1...1100 { book.come("\(number)", as: SceneWatchers([SceneWatcher(surface: "\(number)")])) }
        // Ten seconds, for a thousand.
        let (isNews, next) = book.settle(at: start + .milliseconds(500))
        #expect(!isNews && next == start + CompanyBook<String>.pause * 10)
        let early = settle(at: .seconds(9))
        let settled = settle(at: .seconds(10))
        #expect(!early && settled)
        let company = book.others(than: "page")
        #expect(company.named.count == SceneWatchers.maximumNamed && company.count == 999)
        #expect(company.named.first == SceneWatcher(surface: "1"))
    }

    @Test("A console counts as those before it, and as nobody while there are none")
    mutating func console() {
        _ = come("terminal", at: .zero)
        book.come("console", as: SceneWatchers())
        let empty = settle(at: .seconds(2))
        #expect(!empty && !book.hasNews(for: "terminal", known: nil))
        let people = (1...20).map { SceneWatcher(surface: "browser", name: "user \($0)") }
        book.go("console", at: start + .seconds(3), rest: Self.rest)
        book.come("console", as: SceneWatchers(people, more: 7))
        let changed = settle(at: .seconds(4))
        #expect(changed)
        #expect(book.others(than: "terminal") == SceneWatchers(Array(people.prefix(16)), more: 11))
        #expect(book.others(than: "console") == SceneWatchers([SceneWatcher(surface: "terminal")]))
        #expect(book.everyone.count == 28)
    }

    @Test("What another process says of its watchers is kept within bounds")
    func bounds() {
        let one = SceneWatcher(surface: "browser")
        #expect(SceneWatchers([one], more: -5).bounded == SceneWatchers([one]))
        #expect(SceneWatchers([one], more: .max).bounded.more == 100_000)
        let many = SceneWatchers(Array(repeating: one, count: 1 << 18), more: .max).bounded
        #expect(many.named.count == SceneWatchers.maximumNamed && many.more == 100_000)
        #expect(many.joined(many).count == 100_000 + SceneWatchers.maximumNamed)
    }
}
