public import Messaging

/// The running instance of a session: one window with its content.
@MainActor
public final class Scene: SessionResponder {
    /// A scene's state: not connected, being connected, in the foreground (where it takes input), or in the background.
    public enum ActivationState: String, Codable, Sendable {
        case unattached, foregroundInactive, foregroundActive, background
    }

    /// The session that the scene runs.
    public let session: SceneSession
    /// The application that has connected the scene.
    public private(set) weak var application: Application?
    /// The delegate that runs the scene. It is released when the scene disconnects.
    public internal(set) var delegate: SceneDelegate?
    /// The scene's current state.
    public internal(set) var activationState = ActivationState.unattached
    /// Whether the scene is suspended, because its process has lost the host or the scene is about to move. A suspended
    /// scene takes no input and sends nothing until it is resumed.
    public internal(set) var isSuspended = false

    /// The window that shows the scene's content.
    public weak var window: Window? {
        didSet {
            window?.nextResponder = self
            window?.onContentChange = { [weak self] in self?.contentDidChange() }
        }
    }

    /// Called when the scene's content has changed.
    package var onContentChange: ((Scene) -> Void)?

    init(session: SceneSession, application: Application) {
        self.session = session
        self.application = application
        super.init(sessionIdentifier: session.persistentIdentifier)
        declarePassing(by: Scene.self)
    }

    public override var next: Responder? { application }

    private func contentDidChange() {
        onContentChange?(self)
    }
}

extension Window {
    /// Makes a window that a scene shows.
    public convenience init(windowScene: Scene) {
        self.init()
        windowScene.window = self
    }
}

extension Responder {
    /// The scene that this responder is part of; `nil` for a responder outside any scene.
    public var containingScene: Scene? { containingSession as? Scene }
}

/// The options with which a scene is connected.
public struct ConnectionOptions: Sendable {
    /// The links to open when the scene is connected.
    public var links: [DeepLink]

    public init(links: [DeepLink] = []) {
        self.links = links
    }
}

extension Scene {
    /// The name under which UIKit's developers know the options.
    public typealias ConnectionOptions = CoordinatorKit.ConnectionOptions
}
