import ConsoleModel
import ConsolePages
import Monotonic
import SceneContent
import Testing

/// The watching of scenes by many pages.
@Suite(.timeLimit(.minutes(5)))
struct SharedScenesTests {
    private let start = MonotonicInstant.now

    @Test("A scene is watched once for all its pages, and for a while after the last one")
    func sharing() {
        var scenes = SharedScenes(linger: .seconds(5))
        #expect(scenes.enter("a") == .begin)
        #expect(scenes.enter("a") == .join)
        #expect(scenes.enter("b") == .begin)
        scenes.leave("a", at: start)
        #expect(scenes.nextEnd == nil)
        scenes.leave("a", at: start + .seconds(1))
        #expect(scenes.nextEnd == start + .seconds(6))
        #expect(scenes.takeUnused(at: start + .seconds(5)) == [])
        #expect(scenes.takeUnused(at: start + .seconds(6)) == ["a"])
        #expect(scenes.sessions == ["b"])
        #expect(scenes.enter("a") == .begin)
    }

    @Test("A page that comes back in time finds its scene")
    func comingBack() {
        var scenes = SharedScenes(linger: .seconds(5))
        #expect(scenes.enter("a") == .begin)
        scenes.leave("a", at: start)
        #expect(scenes.enter("a") == .join)
        #expect(scenes.takeUnused(at: start + .seconds(60)) == [])
    }

    @Test("A session that ends is forgotten, whatever its pages do afterwards")
    func ending() {
        var scenes = SharedScenes()
        #expect(scenes.enter("a") == .begin)
        scenes.end("a")
        scenes.leave("a", at: start)
        #expect(scenes.sessions == [] && scenes.nextEnd == nil)
    }

    @Test("No more scenes are watched than allowed")
    func limit() {
        var scenes = SharedScenes(maximum: 2)
        #expect(scenes.enter("a") == .begin)
        #expect(scenes.enter("b") == .begin)
        #expect(scenes.enter("c") == .full)
        #expect(scenes.enter("a") == .join)
        scenes.end("b")
        #expect(scenes.enter("c") == .begin)
    }

    @Test("When all places are taken, the scene that has had no page for the longest time gives way")
    func givingWay() {
        var scenes = SharedScenes(maximum: 3)
        for session in ["a", "b", "c"] { #expect(scenes.enter(session) == .begin) }
        scenes.leave("b", at: start + .seconds(1))
        scenes.leave("a", at: start + .seconds(2))
        #expect(scenes.enter("d") == .beginInstead(of: "b"))
        #expect(scenes.enter("a") == .join)
        #expect(scenes.enter("e") == .full)
        #expect(scenes.sessions == ["a", "c", "d"])
    }

    @Test("Places are counted for all and for each, and given back")
    func places() {
        var places = Places<String>(total: 3, each: 2)
        #expect(places.take("a") == nil)
        #expect(places.take("a") == nil)
        #expect(places.take("a") == .own)
        #expect(places.take("b") == nil)
        #expect(places.take("c") == .all)
        places.leave("a")
        places.leave("stranger")
        #expect(places.take("c") == nil)
        #expect(places.count == 3)
        #expect(places.owners.sorted() == ["a", "b", "c"])
    }

    // MARK: - Pictures

    private func picture(_ state: String) -> ScenePicture {
        ScenePicture(layers: SceneLayers(), state: state, isLive: true)
    }

    @Test("A page gets what has changed since its own picture, and nothing if that is the newest")
    func steps() throws {
        var pictures = ScenePictures(life: "x")
        #expect(pictures.step(after: 0) == nil)
        #expect(pictures.add(picture("one")) == true)
        let first = try #require(pictures.newest?.revision)
        #expect(pictures.add(picture("two")) == true)
        #expect(pictures.add(picture("three")) == true)
        let step = try #require(pictures.step(after: pictures.number(of: first)))
        #expect(step.old?.state == "one" && step.new.state == "three")
        #expect(pictures.step(after: step.number) == nil)
        #expect(pictures.number(of: step.revision) == step.number)
    }

    @Test("A picture that is the same is none")
    func same() {
        var pictures = ScenePictures(life: "x")
        #expect(pictures.add(picture("one")) == true)
        #expect(pictures.add(picture("one")) == false)
    }

    @Test(
        "A revision of another life, or none, is drawn anew",
        arguments: [nil, "", "x", "y.1", "x.2.1", "x.-1", "x.99999999999999999999", "x.7"])
    func unknown(revision: String?) throws {
        var pictures = ScenePictures(life: "x")
        #expect(pictures.add(picture("one")) == true)
        let step = try #require(pictures.step(after: pictures.number(of: revision)))
        #expect(step.old == nil && step.from == 0)
    }

    @Test("A slow page, whose picture is no longer kept, is drawn anew")
    func slow() throws {
        var pictures = ScenePictures(life: "x")
        for number in 1...20 { #expect(pictures.add(picture("\(number)")) == true) }
        #expect(try #require(pictures.step(after: 19)).old?.state == "19")
        #expect(try #require(pictures.step(after: 1)).old == nil)
    }

    @Test("While there is little room, the newest picture and the one before are kept")
    func shortRoom() throws {
        var pictures = ScenePictures(life: "x")
        for number in 1...5 { #expect(pictures.add(picture("\(number)")) == true) }
        let cost = pictures.earlierCost
        #expect(pictures.add(picture("6"), isRoomShort: true) == true)
        #expect(pictures.earlierCost < cost)
        #expect(try #require(pictures.step(after: 5)).old?.state == "5")
        #expect(try #require(pictures.step(after: 4)).old == nil)
    }

    @Test("Pictures that have little in common are not kept, and others are, also when the host has sent the whole")
    func large() throws {
        func picture(of text: String, _ title: String = "") -> ScenePicture {
            let block = TextBlock(String(repeating: text, count: 1 << 20)).node
            let layer = ContentLayer(key: "a", title: title, blocks: [("b", block)])
            return ScenePicture(layers: SceneLayers([layer]), state: "running", isLive: true)
        }
        var pictures = ScenePictures(life: "x")
        for text in ["a", "b", "c"] { #expect(pictures.add(picture(of: text)) == true) }
        #expect(pictures.earlierCost == 0)
        #expect(try #require(pictures.step(after: 2)).old == nil)
        for title in ["one", "two", "three"] { #expect(pictures.add(picture(of: "c", title)) == true) }
        #expect((1...10_000).contains(pictures.earlierCost), "\(pictures.earlierCost)")
        let step = try #require(pictures.step(after: 3))
        #expect(step.old == picture(of: "c") && step.new == picture(of: "c", "three"))
        pictures.forgetEarlier()
        #expect(pictures.earlierCost == 0 && pictures.newest?.picture == step.new)
        #expect(try #require(pictures.step(after: 5)).old == nil)
    }

    @Test("What the last pictures have named is known, also when the pictures are not kept any more")
    func images() throws {
        func hash(_ number: Int) -> String { String(repeating: "0", count: 60) + "\(1000 + number)" }
        func picture(_ number: Int) -> ScenePicture {
            let image = ContentNode.map(["type": "image", "hash": .text(hash(number))])
            let layer = ContentLayer(key: "a", title: "\(number)", blocks: [("image", image)])
            return ScenePicture(layers: SceneLayers([layer]), state: "running", isLive: true)
        }
        var pictures = ScenePictures(life: "x")
        #expect(!pictures.haveShown(image: hash(0)))
        for number in 0..<300 { #expect(pictures.add(picture(number)) == true) }
        #expect((44..<300).allSatisfy { pictures.haveShown(image: hash($0)) })
        #expect(!pictures.haveShown(image: hash(43)) && !pictures.haveShown(image: hash(300)))
    }

    @Test("A chart that moves on costs its new points, and the list of the others")
    func chart() {
        func picture(from first: Int) -> ScenePicture {
            let points = (first..<first + 3600).map { ChartBlock.Point(Double($0), 1) }
            let chart = ChartBlock("Load", series: [.init(key: "a", label: "a", points: points)])
            let layer = ContentLayer(key: "a", title: "", blocks: [("b", chart.node)])
            return ScenePicture(layers: SceneLayers([layer]), state: "running", isLive: true)
        }
        var pictures = ScenePictures(life: "x")
        for second in 0..<20 { #expect(pictures.add(picture(from: second)) == true) }
        #expect(pictures.step(after: 13)?.old == picture(from: 12))
        #expect(pictures.earlierCost < 1 << 20)
    }
}
