import Bus
import CBOR
import CoordinatorKit
import Messaging

/// Hands out the images of scenes, which their pictures name by hashes.
extension SceneResponder {
    // Its handler is not declared: each declaration costs every start of a worker.
    func sceneImage(session id: String, hash: String) async throws -> CBORBytes {
        let window = try window(of: scene(id))
        // A scene that nobody watches keeps none, and may show it all the same.
        guard let image = watched.image(hash, of: id) ?? window.layersWithImages.images[hash] else {
            throw SceneCommandError(.refused, "the scene shows no image with this hash: look at what it shows now")
        }
        return CBORBytes(image.bytes)
    }
}
