import Messaging

extension Application {
    /// Opens a link in the first scene of this process that prefers it, else in the first one that accepts it.
    /// - Throws: ``DeepLinkRefusal`` if no scene opens it.
    func openInScene(_ link: DeepLink) throws {
        let scenes = connectedScenes.filter { !$0.isSuspended }
        let answers = scenes.map { $0.delegate?.scene($0, acceptanceOf: link) ?? .declined("it has no delegate") }
        var refusal: (any Error)?
        for wanted: LinkAcceptance in [.preferred, .accepted] {
            for (scene, answer) in zip(scenes, answers) where answer == wanted {
                do {
                    return try scene.delegate?.scene(scene, open: link) ?? ()
                } catch {
                    refusal = error
                }
            }
        }
        if let refusal { throw refusal }
        let reasons = answers.compactMap { if case .declined(let reason) = $0 { reason } else { nil } }
        throw DeepLinkRefusal(link, reasons.first.map { "no scene accepts it: \($0)" } ?? "no scene is connected")
    }
}
