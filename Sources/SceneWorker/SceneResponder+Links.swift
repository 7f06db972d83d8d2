import Bus
import CBOR
import CoordinatorKit
import Messaging

/// Opens links in this worker's scenes.
extension SceneResponder {
    // Its handler is not declared: links are rare, and each declaration costs every start of a worker.
    func sceneAcceptance(session id: String, link: CBORRaw) async throws -> SceneAcceptance {
        let scene = try activeScene(id)
        switch scene.delegate?.scene(scene, acceptanceOf: try Self.link(link)) {
        case .preferred: return SceneAcceptance(answer: SceneAcceptance.preferred)
        case .accepted, nil: return SceneAcceptance(answer: SceneAcceptance.accepted)
        case .declined(let reason): return SceneAcceptance(answer: SceneAcceptance.declined, reason: reason)
        }
    }

    func sceneOpen(session id: String, link: CBORRaw) async throws {
        let scene = try activeScene(id)
        let link = try Self.link(link)
        defer { inputEnded(of: scene) }
        do {
            guard let delegate = scene.delegate else { throw DeepLinkRefusal(link, "the scene has no delegate") }
            try delegate.scene(scene, open: link)
        } catch {
            throw SceneCommandError(.refused, String(explaining: error))
        }
    }

    /// Decodes a link.
    /// - Throws: ``SceneCommandError`` when the item is not a link.
    static func link(_ item: CBORRaw) throws -> DeepLink {
        do {
            return try item.decode(as: DeepLink.self)
        } catch {
            throw SceneCommandError(.refused, "the link cannot be read: \(String(explaining: error))")
        }
    }
}
