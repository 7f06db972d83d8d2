import SceneContent

/// The images of a scene's newest picture, and those of earlier ones as far as there is room: whoever asks for an image has its
/// hash from a picture, and the scene may show another one by then.
struct ShownImages {
    /// The bytes that are kept.
    static let limit = ContentBounds.imageBytes

    /// The one that has not been shown for the longest time first.
    private var images: [ImageData] = []

    /// Takes the images of the newest picture.
    mutating func show(_ shown: [String: ImageData]) {
        // Most scenes have none.
        guard !shown.isEmpty else { return }
        images.removeAll { shown[$0.hash] != nil }
        images += shown.values
        var size = images.reduce(0) { $0 + $1.bytes.count }
        while size > Self.limit, !images.isEmpty { size -= images.removeFirst().bytes.count }
    }

    subscript(hash: String) -> ImageData? { images.last { $0.hash == hash } }
}

extension SceneLayers {
    /// Those of a screen's images that this content of it shows, within its bounds. They are never too large together to be kept.
    func shown(of images: [String: ImageData]) -> [String: ImageData] {
        let size = images.values.reduce(0) { $0 + $1.bytes.count }
        guard size > ShownImages.limit else { return images }
        let hashes = imageHashes
        return images.filter { hashes.contains($0.key) }
    }
}
