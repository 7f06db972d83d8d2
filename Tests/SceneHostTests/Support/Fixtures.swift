import CBOR
import CoordinatorKit
import PluginKit

extension AppDependency {
    @Entry var greeting: String?
    @Entry var total: Int?
    @Entry var doubled: Int?
    @Entry var clerk: ServiceReference<any GreetingMessages>?
}

@ResponderMessages
protocol GreetingMessages {
    func greetingSay(name: String) async throws -> String
    func greetingFail(code: String) async throws
    func greetingForever() async throws
    func greetingShout(text: String)
}

@ResponderMessages
protocol TotalMessages {
    func totalAdd(amount: Int) async throws -> Int
}

/// A message that no responder handles.
@ResponderMessages
protocol NowhereMessages {
    func nowhereGo(to place: String) async throws
    func nowhereCall()
}

extension ResponderChain: GreetingMessages, TotalMessages, NowhereMessages {}
extension ServiceReference: GreetingMessages where Messages == any GreetingMessages {}

struct Rudeness: CodedError, CustomStringConvertible {
    let code: String
    let description = "that was rude"
}

/// The context of one message, as its handler saw it.
struct Heard: Equatable {
    var text: String
    var sender: String
    var session: String?
    var path: [String]
    var actor: MessageActor?
    var isSentByActor: Bool

    @MainActor
    init(_ text: String) {
        let context = MessageContext.current
        self.text = text
        sender = context?.sender ?? ""
        session = context?.session
        path = context?.path ?? []
        actor = context?.actor
        isSentByActor = context?.isSentByActor == true
    }
}

/// A plugin's responder that replies, passes on, fails or waits.
@MainActor
final class Greeter: PluginResponder, GreetingMessages {
    private let name: String
    private let passesOn: Bool
    var heard: [Heard] = []
    var waiting = 0
    var cancelled = 0

    init(_ name: String, passesOn: Bool = false) {
        self.name = name
        self.passesOn = passesOn
    }

    func greetingSay(name: String) async throws -> String {
        heard.append(Heard(name))
        if passesOn { return try await coordinatingResponder.chain.greetingSay(name: name) + " via \(self.name)" }
        return "\(self.name) greets \(name)"
    }

    func greetingFail(code: String) async throws {
        throw Rudeness(code: code)
    }

    func greetingForever() async throws {
        waiting += 1
        await forever()
        cancelled += 1
        throw CancellationError()
    }

    func greetingShout(text: String) {
        heard.append(Heard(text))
        if passesOn { coordinatingResponder.chain.greetingShout(text: text) }
    }
}

/// A plugin's responder that acts for a user of its own while it handles a message of somebody else.
@MainActor
final class ActingGreeter: PluginResponder, GreetingMessages {
    func greetingSay(name: String) async throws -> String {
        try await plugin?.chain(actingFor: "anna").greetingSay(name: name) ?? ""
    }

    func greetingFail(code: String) async throws {}
    func greetingForever() async throws {}
    func greetingShout(text: String) {}
}

/// Returns when the task is cancelled.
@MainActor
func forever() async {
    let (nothing, end) = AsyncStream<Never>.makeStream()
    for await _ in nothing {}
    end.finish()
}

/// Adds to an entry of the container.
@MainActor
final class Adder: PluginResponder, TotalMessages {
    func totalAdd(amount: Int) async throws -> Int {
        let total = (plugin?.appDependency.total ?? 0) + amount
        plugin?.appDependency.total = total
        return total
    }
}

/// The host's own delegate, which handles what no plugin handles.
@MainActor
final class GreetingDelegate: AppDelegate, GreetingMessages {
    var heard: [Heard] = []
    var waiting = 0
    var cancelled = 0

    func greetingSay(name: String) async throws -> String {
        heard.append(Heard(name))
        return "the host greets \(name)"
    }

    func greetingForever() async throws {
        waiting += 1
        await forever()
        cancelled += 1
    }

    func greetingShout(text: String) {
        heard.append(Heard(text))
    }
}

// MARK: - A scene

enum WallPage: Page {
    case home
    case item(Int)
}

@MainActor
final class WallScreen: ViewController {
    var answer = ""

    override var content: ScreenContent {
        ScreenContent(
            title: "\(page.map { "\($0)" } ?? "none")", texts: [answer, restorationState["note"] ?? ""],
            actions: ["greet", "fail", "go", "wait", "shout", "keep", "keepQuietly", "show"].map { .init(name: $0) })
    }

    override func perform(action: String, fields: [String: String]) async throws {
        let text = fields["text"] ?? ""
        switch action {
        case "greet": answer = try await chain.greetingSay(name: text)
        case "fail": try await chain.greetingFail(code: text)
        case "go": try await chain.nowhereGo(to: text)
        case "wait": try await chain.greetingForever()
        case "shout": chain.greetingShout(text: text)
        case "keep":
            restorationState["note"] = text
            setNeedsContentUpdate()
        case "keepQuietly": restorationState["note"] = text
        case "show":
            guard let number = Int(text), let wall = containingScene?.session.sceneCoordinator as? WallCoordinator
            else { return }
            wall.display(page: .item(number))
        default: try await super.perform(action: action, fields: fields)
        }
    }
}

/// A child coordinator two levels below the session, which records the calls that it receives.
@MainActor
final class WallChild: NavigationCoordinator, PageDisplaying, NeedsDependency {
    var page = WallPage.home
    private(set) var changes = 0

    var appDependency: AppDependency? {
        didSet {
            changes += 1
            updateChildCoordinatorDependencies()
        }
    }

    override func start() { displayPage() }

    func displayPage() {
        let screen = WallScreen()
        screen.page = page
        if page == .home { root(screen) } else { show(screen) }
    }
}

@MainActor
class WallCoordinator: SceneCoordinator<WallPage> {
    override var initialPage: WallPage? { .home }

    override func displayPage(_ page: WallPage) {
        showChild(at: page) { WallChild(rootViewController: rootViewController) }
    }

    override func resolve(_ link: DeepLink) throws -> WallPage {
        guard let parts = try link.urlParts(), parts.scheme == "wall", parts.path.first == "item",
            let number = parts.path.last.flatMap({ Int($0) })
        else { throw DeepLinkRefusal(link, "a wall has items only") }
        return .item(number)
    }
}

/// Is said to handle messages, but does not implement their methods.
final class NowhereDelegate: AppDelegate, NowhereMessages {}
