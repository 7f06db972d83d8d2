import Bus
import CBOR
import CoordinatorKit
import SceneContent
import TestKit
import Testing

@testable import SceneWorker

/// Images that a scene shows, and that are fetched by their hashes.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SceneImageTests {
    @Test("An image that a scene shows is handed out, also if nobody watches it; any other hash is refused")
    func shown() async throws {
        try await withWorker(scenes: WindowSceneDelegate<AlbumCoordinator>.self) { running in
            try await running.connect()
            let image = AlbumScreen.image(0)
            let bytes = try await running.reply(to: SceneMessagesList.sceneImage(session: "s", hash: image.hash))
            #expect(bytes.bytes == image.bytes)
            for hash in [AlbumScreen.image(1).hash, "", "a lamp"] {
                let code = await running.code {
                    _ = try await running.reply(to: SceneMessagesList.sceneImage(session: "s", hash: hash))
                }
                #expect(code == .refused)
            }
            let code = await running.code {
                _ = try await running.reply(to: SceneMessagesList.sceneImage(session: "other", hash: image.hash))
            }
            #expect(code == .unknownSession)
        }
    }

    @Test("Who watches gets an image by the hash of its picture, although the scene shows another one by then")
    func earlier() async throws {
        try await withWorker(scenes: WindowSceneDelegate<AlbumCoordinator>.self) { running in
            try await running.connect()
            let first = try await running.reply(to: SceneMessagesList.sceneWatch(session: "s", known: nil))
            let block = try #require(first.content?.top?.blocks.first?.block)
            #expect(block == .image(try #require(ImageBlock(AlbumScreen.image(0), alternative: "Photo 0"))))
            let waiting = try running.send(SceneMessagesList.sceneWatch(session: "s", known: first.revision.number))
            #expect(try await running.act("next") == ["Photo 1"])
            let second = try await running.end(of: waiting, as: SceneUpdate.self)
            // The bytes are not part of a difference.
            #expect(try CBOREncoder().encode(second).count < 500)
            for number in 0...1 {
                let image = AlbumScreen.image(number)
                let bytes = try await running.reply(
                    to: SceneMessagesList.sceneImage(session: "s", hash: image.hash))
                #expect(bytes.bytes == image.bytes)
            }
        }
    }

    @Test("A watched scene is not drawn for a hash that somebody has made up")
    func madeUp() async throws {
        try await withWorker(scenes: WindowSceneDelegate<AlbumCoordinator>.self) { running in
            try await running.connect()
            let first = try await running.reply(to: SceneMessagesList.sceneWatch(session: "s", known: nil))
            _ = try running.send(SceneMessagesList.sceneWatch(session: "s", known: first.revision.number))
            let image = AlbumScreen.image(0)
            let drawings = AlbumScreen.drawings
            for _ in 0..<10 {
                let code = await running.code {
                    _ = try await running.reply(
                        to: SceneMessagesList.sceneImage(session: "s", hash: AlbumScreen.image(1).hash))
                }
                #expect(code == .refused)
            }
            let bytes = try await running.reply(to: SceneMessagesList.sceneImage(session: "s", hash: image.hash))
            #expect(bytes.bytes == image.bytes)
            #expect(AlbumScreen.drawings == drawings)
        }
    }

    @Test("Of images that are too large together, those are kept that the picture shows")
    func tooLargeTogether() throws {
        let all = AlbumScreen.largest(20)
        let blocks = try all.enumerated().map { number, image in
            (key: "\(number)", node: try #require(ImageBlock(image, alternative: "Photo")).node)
        }
        let picture = SceneLayers([ContentLayer(key: "screen", title: "", blocks: blocks)]).bounded
        var images = ShownImages()
        images.show(picture.shown(of: Dictionary(uniqueKeysWithValues: all.map { ($0.hash, $0) })))
        let hashes = (picture.top?.blocks ?? []).compactMap { _, block in
            if case .image(let image) = block { image.hash } else { nil }
        }
        let shown = all.filter { hashes.contains($0.hash) }
        #expect(shown.count == ShownImages.limit / ContentBounds.image)
        #expect(shown.allSatisfy { images[$0.hash] == $0 })
    }

    @Test("Images of earlier pictures are kept as far as there is room, those of the newest before them")
    func room() {
        let large = AlbumScreen.largest(20)
        var images = ShownImages()
        for image in large { images.show([image.hash: image]) }
        let kept = ShownImages.limit / ContentBounds.image
        #expect(large.suffix(kept).allSatisfy { images[$0.hash] == $0 })
        #expect(large.dropLast(kept).allSatisfy { images[$0.hash] == nil })
        // What is shown again is among the newest.
        let oldest = large[large.count - kept]
        images.show([oldest.hash: oldest])
        images.show([large[0].hash: large[0]])
        #expect(images[oldest.hash] != nil && images[large[large.count - kept + 1].hash] == nil)
    }
}

/// A screen with one image, which an action changes.
private final class AlbumScreen: ViewController {
    @Kept var number = 0

    /// A GIF until its size.
    static let beginning = Array("GIF89a".utf8) + [8, 0, 4, 0]

    static func image(_ number: Int) -> ImageData {
        ImageData(beginning + Array(repeating: UInt8(number), count: 100_000))
    }

    /// Images of the largest size that is shown.
    static func largest(_ count: Int) -> [ImageData] {
        (0..<count).map { number in
            ImageData(beginning + [UInt8(number)] + Array(repeating: 0, count: ContentBounds.image - 11))
        }
    }

    /// How often a screen was drawn.
    static var drawings = 0

    override var screen: Screen? {
        Self.drawings += 1
        return Screen("Album") {
            Image(Self.image(number), alternative: "Photo \(number)")
            Action("Next") { [self] in number += 1 }
        }
    }
}

private enum AlbumPage: Page { case home }

private final class AlbumCoordinator: SceneCoordinator<AlbumPage> {
    override var initialPage: AlbumPage? { .home }

    override func displayPage(_ page: AlbumPage) { root(AlbumScreen()) }
}
