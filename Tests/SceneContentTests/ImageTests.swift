import Messaging
import SceneContent
import Testing

/// What bytes are shown as an image, and what a picture of a scene says of it.
@Suite(.timeLimit(.minutes(5)))
struct ImageTests {
    /// The beginning of a GIF, which says its size.
    private static func gif(_ width: UInt8 = 8, _ height: UInt8 = 4, more: [UInt8] = []) -> [UInt8] {
        Array("GIF89a".utf8) + [width, 0, height, 0] + more
    }

    /// The beginning of a PNG.
    private static func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        let size = [width, height].flatMap { number in (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + size
    }

    private static func webp(_ chunk: String, _ rest: [UInt8]) -> [UInt8] {
        let bytes = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8\(chunk)".utf8) + [0, 0, 0, 0] + rest
        return bytes + Array(repeating: 0, count: max(0, 30 - bytes.count))
    }

    @Test(
        "A PNG, JPEG, GIF or WebP is known by its first bytes, with its width and height",
        arguments: [
            (png(37, 23), "image/png", 37, 23),
            (gif(37, 23), "image/gif", 37, 23),
            (Array("GIF87a".utf8) + [44, 1, 7, 0], "image/gif", 300, 7),
            // A segment of the application, and the one that begins the frame.
            (
                [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 11, 8, 1, 0, 2, 3, 1], "image/jpeg", 515,
                256
            ),
            (webp("X", [0, 0, 0, 0, 36, 0, 0, 22, 0, 0]), "image/webp", 37, 23),
            (webp("L", [0x2F, 0x24, 0x80, 0x05, 0x00]), "image/webp", 37, 23),
            (webp(" ", [0xB0, 0x05, 0x00, 0x9D, 0x01, 0x2A, 0x25, 0x00, 0x17, 0x00]), "image/webp", 37, 23),
        ])
    func formats(bytes: [UInt8], mediaType: String, width: Int, height: Int) throws {
        let image = ImageData(bytes)
        #expect(image.problem == nil)
        #expect(image.mediaType == mediaType)
        let block = try #require(ImageBlock(image, alternative: "A lamp"))
        #expect((block.width, block.height, block.size) == (width, height, bytes.count))
        #expect(block.mediaType == mediaType)
        #expect(ContentBlock(block.node) == .image(block))
    }

    @Test("An image is named by the SHA-256 of its bytes")
    func hash() {
        let pixel: [UInt8] = [
            0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x01, 0x00, 0x01, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF,
            0xFF, 0x21, 0xF9, 0x04, 0x01, 0x00, 0x00, 0x00, 0x00, 0x2C, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00,
            0x00, 0x02, 0x01, 0x4C, 0x00, 0x3B,
        ]
        #expect(ImageData(pixel).hash == "c7d88cc27f45d74889ff263a29126cf972e958fab7e141e4540c1360ca42e786")
        #expect(ImageData(pixel) == ImageData(pixel))
        #expect(ImageData(pixel) != ImageData(pixel + [0]))
    }

    @Test(
        "Anything else is not shown, and keeps no bytes",
        arguments: [
            [], Array("<!doctype html><script>alert(1)</script>".utf8), Array("<svg xmlns='x'/>".utf8),
            Array("\u{FEFF}<?xml version='1.0'?><svg/>".utf8), [0x89, 0x50, 0x4E, 0x47], Array("GIF88a".utf8),
            Array("BM".utf8) + Array(repeating: 0, count: 60), Array("RIFF1234WAVEfmt ".utf8),
        ] as [[UInt8]])
    func others(bytes: [UInt8]) throws {
        let image = ImageData(bytes)
        #expect(try #require(image.problem).contains("no PNG, JPEG, GIF or WebP"))
        #expect(image.bytes.isEmpty && image.hash.isEmpty && image.mediaType == nil)
        #expect(ImageBlock(image, alternative: "A lamp") == nil)
    }

    @Test(
        "An image that does not say its size is not shown",
        arguments: [
            Array(png(8, 4).prefix(23)), png(0, 4), png(8, 0), gif(0), Array(gif().prefix(9)), [0xFF, 0xD8, 0xFF],
            [0xFF, 0xD8, 0xFF, 0xE0, 0, 0], [0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 0, 0, 0, 0, 0, 0],
            [0xFF, 0xD8] + Array(repeating: 0xFF, count: 1000), webp("?", []), webp("L", [0]), webp(" ", [0]),
        ] as [[UInt8]])
    func noSize(bytes: [UInt8]) throws {
        #expect(try #require(ImageData(bytes).problem).contains("how wide and high"))
    }

    @Test("An image of too many pixels or bytes is not shown")
    func tooLarge() throws {
        for (width, height) in [(UInt32.max, UInt32.max), (1 << 25, 2), (2, 1 << 25), (.max, 1)] {
            let problem = try #require(ImageData(Self.png(width, height)).problem)
            #expect(problem == "An image of \(width) x \(height) pixels is not shown: it has at most 33554432 pixels.")
        }
        #expect(ImageData(Self.png(1 << 25, 1)).problem == nil)
        let beginning = Self.gif()
        let largest = beginning + Array(repeating: 0, count: ContentBounds.image - beginning.count)
        #expect(ImageData(largest).problem == nil)
        #expect(
            ImageData(largest + [0]).problem == "An image with 524289 bytes is not shown: it has at most 524288.")
    }

    @Test("An image needs an alternative text", arguments: ["", " ", "\n\t"])
    func alternative(text: String) {
        #expect(ImageBlock(ImageData(Self.gif()), alternative: text) == nil)
    }

    // MARK: - Blocks

    private func block(size: Int = 100, width: Int = 8, height: Int = 4, number: Int = 0) throws -> ImageBlock {
        var block = try #require(ImageBlock(ImageData(Self.gif()), alternative: "A lamp"))
        let digits = String(number, radix: 16)
        block.hash = String(repeating: "0", count: 64 - digits.count) + digits
        (block.size, block.width, block.height) = (size, width, height)
        return block
    }

    private func bounded(_ blocks: [ImageBlock]) -> [ContentBlock] {
        let blocks = blocks.enumerated().map { ("\($0.offset)", $0.element.node) }
        return SceneLayers([ContentLayer(key: "screen", title: "", blocks: blocks)]).bounded.top?.blocks.map(\.block)
            ?? []
    }

    private func error(_ text: String) -> ContentBlock { .text(TextBlock(text, level: .error)) }

    @Test("What a picture says of an image has its bounds, whatever the bytes are")
    func bounds() throws {
        let fine = try block()
        #expect(
            bounded([try block(size: ContentBounds.image + 1), fine]) == [
                error("An image with 524289 bytes is not shown: it has at most 524288."), .image(fine),
            ])
        #expect(
            bounded([try block(width: 1 << 20, height: 1 << 20), fine]) == [
                error("An image of 1048576 x 1048576 pixels is not shown: it has at most 33554432 pixels."),
                .image(fine),
            ])
    }

    @Test("A scene shows so many images, of so many bytes together, and one that is shown twice counts once")
    func together() throws {
        let many = try (0...ContentBounds.images).map { try block(number: $0) }
        let shown = bounded(many)
        #expect(shown.prefix(ContentBounds.images) == many.prefix(ContentBounds.images).map { .image($0) }[...])
        #expect(shown.last == error("An image is not shown: a scene shows at most 64."))
        let large = try (0...8).map { try block(size: ContentBounds.image, number: $0) }
        #expect(bounded(large).prefix(8) == large.prefix(8).map { .image($0) }[...])
        #expect(
            bounded(large).last
                == error("An image is not shown: all images of a scene have at most 4194304 bytes together."))
        let same = try (0..<20).map { _ in try block(size: ContentBounds.image) }
        #expect(bounded(same) == same.map { .image($0) })
    }

    @Test(
        "A block that does not say all of an image is its text, and so is each one to a surface that knows no images",
        arguments: [
            ["hash": "ABCD"], ["hash": .text(String(repeating: "A", count: 64))],
            ["hash": .text("../" + String(repeating: "a", count: 61))], ["media": "image/svg+xml"],
            ["media": "text/html"], ["size": 0], ["size": 0.5], ["width": -1], ["height": "4"], ["width": 1e300],
        ] as [[String: ContentNode]])
    func malformed(fields: [String: ContentNode]) throws {
        let node = ContentNode.map(try block().node.map.merging(fields) { $1 })
        #expect(ContentBlock(node) == .other(text: "A lamp"))
        #expect(try block().node["text"] == "A lamp")
    }

    @Test("A block without an alternative text is no image")
    func malformedText() throws {
        var fields = try block().node.map
        fields["text"] = nil
        #expect(ContentBlock(.map(fields)) == .other(text: "This surface cannot show a block image."))
    }

    @Test("A terminal and the plain form have the alternative text")
    func text() throws {
        let block = ContentBlock.image(try block())
        #expect(block.text() == "A lamp")
        #expect(ScreenContent(title: "", blocks: [block]).texts == ["A lamp"])
    }
}
