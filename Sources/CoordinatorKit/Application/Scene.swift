public import Messaging

/// The running incarnation of a session: one window with what it shows.
@MainActor
public final class Scene: SessionResponder {
    /// Where a scene is in its life: not connected, being connected, in the foreground where it takes input, in the background.
    public enum ActivationState: String, Codable, Sendable {
        case unattached, foregroundInactive, foregroundActive, background
    }

    /// The session that it runs.
    public let session: SceneSession
    /// The application that connected it.
    public private(set) weak var application: Application?
    /// Runs the scene; freed when the scene disconnects.
    public internal(set) var delegate: SceneDelegate?
    /// Where it is in its life.
    public internal(set) var activationState = ActivationState.unattached
    /// It stands still: its process has lost the host, or it is about to move. No input is taken and nothing is sent until it
    /// goes on.
    public internal(set) var isSuspended = false

    /// The window that shows the scene's content.
    public weak var window: Window? {
        didSet {
            window?.nextResponder = self
            window?.onContentChange = { [weak self] in self?.contentDidChange() }
        }
    }

    /// Called when what the scene shows has changed.
    package var onContentChange: ((Scene) -> Void)?

    init(session: SceneSession, application: Application) {
        self.session = session
        self.application = application
        super.init(sessionIdentifier: session.persistentIdentifier)
    }

    public override var next: Responder? { application }

    private func contentDidChange() {
        onContentChange?(self)
    }
}

extension Responder {
    /// The scene that this responder is part of; `nil` for a responder outside of any scene.
    public var containingScene: Scene? { containingSession as? Scene }
}

/// What a scene is connected with.
public struct ConnectionOptions: Sendable {
    /// Links to open at once.
    public var links: [DeepLink]

    public init(links: [DeepLink] = []) {
        self.links = links
    }
}
