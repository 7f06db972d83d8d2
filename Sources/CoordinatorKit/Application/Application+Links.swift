import Messaging

extension Application {
    /// Opens a link in the session that the delegate chooses. If it chooses none, the scenes say whether they open it
    /// (``LinkAcceptance``): the first one that prefers it does, else the first one that accepts it.
    ///
    /// If the application's scenes run in other processes, the request goes to the host, whose delegate chooses, and this
    /// method returns before it has been carried out.
    /// - Parameter errorHandler: Called if a request to the host fails. Without it, the error is logged.
    /// - Throws: ``DeepLinkRefusal`` if this process runs all scenes and none accepts the link.
    public func open(_ link: DeepLink, errorHandler: (@MainActor (any Error) -> Void)? = nil) throws {
        if let sessionRunner {
            return request("opening \(link.summary)", of: nil, errorHandler) { try await sessionRunner.open(link) }
        }
        if let session = delegate.session(for: link, of: self) {
            try requestSceneSessionActivation(session, options: ConnectionOptions(links: [link]))
            return
        }
        try openInScene(link)
    }

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
