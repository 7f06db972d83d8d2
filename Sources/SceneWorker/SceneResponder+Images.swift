import Bus
import CBOR
import CoordinatorKit
import Messaging

/// Hands out the images of scenes, which their pictures name by hashes.
extension SceneResponder {
    // Its handler is not declared: each declaration costs every start of a worker.
    func sceneImage(session id: String, hash: String) async throws -> CBORBytes {
        let window = try window(of: scene(id))
        // What a watched scene shows is known, and is not drawn for each hash that somebody makes up. A scene that nobody watches keeps
        // no images, and may show it all the same.
        let image = watched.isWatched(id) ? watched.image(hash, of: id) : window.layersWithImages.images[hash]
        guard let image else {
            throw SceneCommandError(.refused, "the scene shows no image with this hash: look at what it shows now")
        }
        return CBORBytes(image.bytes)
    }
}
