import Bus
import CBOR
import Messaging
import SceneContent
import Testing
import ZeroMQ

@testable import SceneHost

/// Who is told what of a watched scene.
@Suite(.timeLimit(.minutes(5)))
struct SceneWatchesTests {
    let start = MonotonicInstant.now
    static let running = SceneWatches.Condition(state: .running)

    @Test("A question waits until there is a picture that the asker does not have")
    func waits() throws {
        var watches = SceneWatches()
        let question = try ask(&watches, known: nil)
        #expect(watches.answers(of: "s", at: start).isEmpty)
        #expect(watches.received(update(1, "one"), of: "s", from: "worker") == nil)
        let answer = try present(watches.answers(of: "s", at: start)[question])
        #expect(answer.update == update(1, "one"))
        let next = try ask(&watches, known: revision(1))
        #expect(watches.answers(of: "s", at: start).isEmpty)
        #expect(watches.received(difference(2, "two", since: "one"), of: "s", from: "worker") == nil)
        let second = try present(watches.answers(of: "s", at: start)[next])
        #expect(second.update?.revision == revision(2))
        #expect(try content("one").applying(try present(second.update?.difference)) == content("two"))
    }

    @Test("A watcher with an earlier picture gets the difference from it; one with an unknown picture gets the whole")
    func earlier() throws {
        var watches = SceneWatches()
        _ = try ask(&watches, known: nil)
        _ = watches.received(update(1, "one"), of: "s", from: "worker")
        for number in 2...5 {
            _ = watches.received(
                difference(UInt64(number), "\(number)", since: number == 2 ? "one" : "\(number - 1)"), of: "s",
                from: "worker")
        }
        let slow = try ask(&watches, known: revision(2))
        let other = try ask(&watches, known: SceneRevision(token: 99, number: 2))
        let answers = watches.answers(of: "s", at: start)
        #expect(try content("2").applying(try present(answers[slow]?.update?.difference)) == content("5"))
        #expect(answers[other]?.update == update(5, "5"))
    }

    @Test("A picture is encoded once for all who need the whole of it, and not at all for who needs the difference")
    func encodedOnce() throws {
        var watches = SceneWatches()
        let first = try ask(&watches, known: nil)
        let second = try ask(&watches, known: SceneRevision(token: 99, number: 2))
        _ = watches.received(update(1, "one"), of: "s", from: "worker")
        let answers = watches.answers(of: "s", at: start)
        let late = try ask(&watches, known: nil)
        let lateAnswer = try present(watches.answers(of: "s", at: start)[late])
        let news = [try present(answers[first]), try present(answers[second]), lateAnswer]
        let places = Set(news.map { $0.update?.encodedContent?.bytes.withUnsafeBufferPointer(\.baseAddress) })
        #expect(places.count == 1 && !places.contains(nil))
        // What is sent is the same as without it.
        let plain = SceneNews(update: update(1, "one"), state: .running, problem: nil, since: 100)
        #expect(try news.map { try CBORRaw(encoding: $0) } == Array(repeating: CBORRaw(encoding: plain), count: 3))
        #expect(try CBORRaw(encoding: news[0]).decode(as: SceneNews.self) == plain)

        // The next picture has bytes of its own, which are made when somebody needs them.
        let watcher = try ask(&watches, known: revision(1))
        _ = watches.received(difference(2, "two", since: "one"), of: "s", from: "worker")
        let change = try present(watches.answers(of: "s", at: start)[watcher]?.update)
        #expect(change.difference != nil && change.encodedContent == nil)
        let other = try ask(&watches, known: nil)
        let whole = try present(watches.answers(of: "s", at: start)[other]?.update)
        #expect(whole.encodedContent == (try CBORRaw(encoding: content("two"))))
    }

    @Test("Earlier pictures are kept in bounded number and size")
    func history() throws {
        var watches = SceneWatches()
        _ = try ask(&watches, known: nil)
        _ = watches.received(update(1, "1"), of: "s", from: "worker")
        for number in 2...UInt64(SceneWatches.maximumHistory) + 3 {
            _ = watches.received(difference(number, "\(number)", since: "\(number - 1)"), of: "s", from: "worker")
        }
        let lost = try ask(&watches, known: revision(1))
        let kept = try ask(&watches, known: revision(5))
        let answers = watches.answers(of: "s", at: start)
        #expect(answers[lost]?.update?.content != nil)
        #expect(answers[kept]?.update?.difference != nil)
        // A picture that differs in too many parts is not kept at all.
        let large = SceneLayers([
            ContentLayer(
                key: "screen", title: "",
                blocks: (0..<400).map { index in
                    ("\(index)", ListBlock((0..<20).map { .init(key: "\($0)", title: "row") }).node)
                })
        ])
        _ = watches.received(SceneUpdate(revision: revision(50), content: large), of: "s", from: "worker")
        let before = try ask(&watches, known: revision(11))
        #expect(watches.answers(of: "s", at: start)[before]?.update?.content == large)
    }

    @Test("Of a large picture that grows in each of its parts, few earlier ones are kept, and the last one always")
    func copiedHistory() throws {
        var watches = SceneWatches()
        func picture(_ number: Int) -> SceneLayers {
            let points = (number..<number + ContentBounds.points).map { ChartBlock.Point(Double($0), 1) }
            let series = (0..<ContentBounds.series).map { ChartBlock.Series(key: "\($0)", label: "", points: points) }
            return SceneLayers([
                ContentLayer(key: "screen", title: "", blocks: [("chart", ChartBlock("Load", series: series).node)])
            ])
        }
        let pictures = (0...3).map(picture)
        _ = try ask(&watches, known: nil)
        _ = watches.received(SceneUpdate(revision: revision(0), content: pictures[0]), of: "s", from: "worker")
        for number in 1...3 {
            let difference = pictures[number].difference(from: pictures[number - 1])
            #expect(difference.node.cost < 10_000)
            let update = SceneUpdate(revision: revision(UInt64(number)), difference: difference)
            #expect(watches.received(update, of: "s", from: "worker") == nil)
        }
        let last = try ask(&watches, known: revision(2))
        let earlier = try ask(&watches, known: revision(0))
        let answers = watches.answers(of: "s", at: start)
        #expect(answers[last]?.update?.difference == pictures[3].difference(from: pictures[2]))
        #expect(answers[earlier]?.update?.content == pictures[3])
    }

    @Test("The first answer of a scene that runs has its picture, or comes at the end of the wait")
    func first() throws {
        var watches = SceneWatches()
        let question = try present(
            watches.ask("s", .init(), condition: Self.running, from: Self.asker("console"), at: start, time: 100))
        #expect(watches.answers(of: "s", at: start).isEmpty)
        _ = watches.received(update(1, "one"), of: "s", from: "worker")
        #expect(watches.answers(of: "s", at: start)[question]?.update == update(1, "one"))
        let waiting = SceneWatches.Condition(state: .waiting, problem: "no worker")
        let other = try present(
            watches.ask("t", .init(), condition: waiting, from: Self.asker("console"), at: start, time: 100))
        #expect(watches.answers(of: "t", at: start)[other]?.state == .waiting)
    }

    @Test("A change of the session's state is news, also without a picture, and has its time")
    func state() throws {
        var watches = SceneWatches()
        let question = try ask(&watches, known: nil)
        watches.changed("s", to: .init(state: .waiting, problem: "no worker"), time: 200)
        let answer = try present(watches.answers(of: "s", at: start)[question])
        #expect(answer == SceneNews(update: nil, state: .waiting, problem: "no worker", since: 200))
        let again = watches.ask(
            "s", .init(state: .waiting, problem: "no worker"), condition: .init(state: .waiting, problem: "no worker"),
            from: Self.asker("console"), at: start, time: 300)
        #expect(watches.answers(of: "s", at: start).isEmpty)
        watches.changed("s", to: .init(state: .waiting, problem: "another reason"), time: 400)
        #expect(watches.answers(of: "s", at: start)[try present(again)]?.since == 200)
    }

    @Test("A question that is news when it comes is answered at once, and another one waits on")
    func answeredAlone() throws {
        var watches = SceneWatches()
        _ = try ask(&watches, known: nil)
        _ = watches.received(update(1, "one"), of: "s", from: "worker")
        _ = watches.answers(of: "s", at: start)
        let waiting = try ask(&watches, known: revision(1))
        let early = watches.answer(to: waiting, of: "s", at: start)
        #expect(early == nil)
        let other = try ask(&watches, known: nil, from: "other")
        let answer = try present(watches.answer(to: other, of: "s", at: start))
        #expect(answer.update == update(1, "one"))
        let again = watches.answer(to: other, of: "s", at: start)
        #expect(again == nil)
        _ = watches.received(difference(2, "two", since: "one"), of: "s", from: "worker")
        #expect(watches.answers(of: "s", at: start).keys.elementsEqual([waiting]))
    }

    @Test("A change of a session's problem is told, and whether it is one")
    func problem() throws {
        var watches = SceneWatches()
        let question = try ask(&watches, known: nil)
        var isNews = watches.changed("s", to: Self.running, time: 200)
        #expect(!isNews)
        isNews = watches.changed("s", to: .init(state: .running, problem: "it cannot leave"), time: 200)
        #expect(isNews)
        #expect(watches.answers(of: "s", at: start)[question]?.since == 100)
    }

    @Test("A sender's questions are limited, and withdrawn ones are not counted")
    func limit() throws {
        var watches = SceneWatches()
        for _ in 0..<SceneWatches.maximumQuestions { _ = try ask(&watches, known: nil) }
        let last = watches.ask("s", .init(), condition: Self.running, from: Self.asker("console"), at: start, time: 1)
        #expect(last == nil)
        _ = try ask(&watches, known: nil, from: "other")
        watches.withdraw(1, of: "s", at: start)
        _ = try ask(&watches, known: nil)
    }

    @Test("A scene is forgotten a while after the last question")
    func forgotten() throws {
        var watches = SceneWatches()
        let question = try ask(&watches, known: nil)
        #expect(watches.forgetUnwatched(at: start + .seconds(100)) == nil)
        watches.withdraw(question, of: "s", at: start)
        #expect(watches.forgetUnwatched(at: start + .seconds(1)) == start + SceneWatches.rest)
        #expect(watches.isWatched("s"))
        #expect(watches.forgetUnwatched(at: start + SceneWatches.rest) == nil)
        #expect(watches.isEmpty)
    }

    func ask(
        _ watches: inout SceneWatches, known: SceneRevision?, from sender: String = "console"
    ) throws -> SceneWatches.Question {
        try present(
            watches.ask(
                "s", .init(revision: known, state: .running), condition: Self.running, from: Self.asker(sender),
                at: start, time: 100))
    }

    static func asker(_ name: String) -> SceneWatches.Asker {
        SceneWatches.Asker(sender: name, id: name)
    }

    func revision(_ number: UInt64) -> SceneRevision { SceneRevision(token: 7, number: number) }

    func content(_ text: String) -> SceneLayers {
        SceneLayers([ContentLayer(key: "screen", title: "", blocks: [("text", TextBlock(text).node)])])
    }

    func update(_ number: UInt64, _ text: String) -> SceneUpdate {
        SceneUpdate(revision: revision(number), content: content(text))
    }

    func difference(_ number: UInt64, _ text: String, since earlier: String) -> SceneUpdate {
        SceneUpdate(revision: revision(number), difference: content(text).difference(from: content(earlier)))
    }
}

/// Returns a value that must be there. `#require` cannot read what a mutating method returns.
private func present<Value>(_ value: Value?) throws -> Value { try #require(value) }
