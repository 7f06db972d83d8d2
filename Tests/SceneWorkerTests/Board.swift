import CoordinatorKit

enum BoardPage: Page { case home }

@ResponderMessages
protocol BoardMessages {
    func boardNote(text: String)
    func boardRing()
}

extension ResponderChain: BoardMessages {}

/// A screen that counts, waits, keeps a note, and posts.
@MainActor
final class BoardScreen: ViewController {
    static var waiting: CheckedContinuation<Void, Never>?
    private var count = 0

    override var content: ScreenContent {
        ScreenContent(
            title: "board", texts: ["\(count)", restorationState["note"] ?? ""],
            actions: ["count", "wait", "keep", "fail", "post"].map { .init(name: $0) })
    }

    override func perform(action: String, fields: [String: String]) async throws {
        switch action {
        case "count": count += 1
        case "wait":
            await withCheckedContinuation { Self.waiting = $0 }
            count += 100
        case "keep":
            restorationState["note"] = fields["text"]
            setNeedsContentUpdate()
        case "post":
            for text in ["one", "two"] { chain.boardNote(text: text) }
            // In the name of no session.
            containingScene?.application?.chain.boardRing()
        default: try await super.perform(action: action, fields: fields)
        }
    }
}

@MainActor
final class BoardCoordinator: SceneCoordinator<BoardPage> {
    override var initialPage: BoardPage? { .home }

    override func displayPage(_ page: BoardPage) {
        let screen = BoardScreen()
        screen.page = page
        root(screen)
    }
}

/// A delegate of scenes without a window, whose state is the activity that they have opened last.
final class ActivityKeeper: SceneDelegate {
    private var activity: UserActivity?

    override func scene(_ scene: Scene, open link: DeepLink) throws {
        guard case .activity(let opened) = link else { throw DeepLinkRefusal(link, "it is not an activity") }
        activity = opened
    }

    override func stateRestorationActivity(for scene: Scene) -> UserActivity? { activity }
}
