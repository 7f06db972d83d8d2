import SceneContent

/// The hashes of the images that a scene's last pictures name. Nobody needs to ask the scene for any other one.
struct NamedImages: Sendable {
    /// The number of hashes that are kept.
    private static let maximum = 4 * ContentBounds.images

    /// Those that were named last are the last.
    private var hashes: [String] = []

    func contains(_ hash: String) -> Bool { hashes.contains(hash) }

    /// Takes those of the newest picture.
    mutating func add(_ layers: SceneLayers) {
        let named = layers.imageHashes
        // Most scenes have none.
        guard !named.isEmpty else { return }
        hashes.removeAll { named.contains($0) }
        hashes = (hashes + named).suffix(Self.maximum)
    }
}
