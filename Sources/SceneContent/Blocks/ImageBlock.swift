/// An image, which surfaces that can draw it fetch by its hash.
public struct ImageBlock: TypedBlock {
    public static let type = "image"
    /// What is in the image, in words. It is the block's text form.
    public var alternative: String
    /// The SHA-256 of the image's bytes as 64 hexadecimal digits.
    public var hash: String
    /// The type of the bytes, such as `image/png`.
    public var mediaType: String
    /// The number of bytes.
    public var size: Int
    /// The width and the height in pixels.
    public var width: Int
    public var height: Int

    /// - Returns: `nil` for an image that is not shown, and for one without an alternative text.
    public init?(_ image: ImageData, alternative: String) {
        guard let header = image.header, Self.says(alternative) else { return nil }
        self.alternative = alternative
        hash = image.hash
        mediaType = header.format.rawValue
        size = image.bytes.count
        (width, height) = (header.width, header.height)
    }

    public init?(_ node: ContentNode) {
        func count(_ field: String) -> Int? {
            node[field]?.number.flatMap { Int(exactly: $0) }.flatMap { (1...Int(Int32.max)).contains($0) ? $0 : nil }
        }
        guard let text = node["text"]?.text, Self.says(text), let hash = node["hash"]?.text, Self.isHash(hash),
            let media = node["media"]?.text, ImageFormat(rawValue: media) != nil, let size = count("size"),
            let width = count("width"), let height = count("height")
        else { return nil }
        alternative = text.cut(toBytes: ContentBounds.otherText)
        (self.hash, mediaType, self.size, self.width, self.height) = (hash, media, size, width, height)
    }

    public var fields: [String: ContentNode] {
        [
            "text": .text(alternative), "hash": .text(hash), "media": .text(mediaType), "size": .number(Double(size)),
            "width": .number(Double(width)), "height": .number(Double(height)),
        ]
    }

    /// Whether a text is the hash of an image.
    package static func isHash(_ text: String) -> Bool { HexDigits.are256Bits(text) }

    private static func says(_ text: String) -> Bool { text.contains { !$0.isWhitespace } }
}

extension ImageBlock {
    /// Why a screen does not show an image; `nil` if it does.
    package static func problem(of image: ImageData, alternative: String) -> String? {
        image.problem ?? (says(alternative) ? nil : ImageProblem.noAlternative.description)
    }
}
