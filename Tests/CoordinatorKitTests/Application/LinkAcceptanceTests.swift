import CoordinatorKit
import Testing

/// Which scene opens a link that was sent to the application.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LinkAcceptanceTests {
    private let application = Application(
        configurations: [
            SceneConfiguration(name: "Door", delegateClass: WindowSceneDelegate<DoorCoordinator>.self),
            SceneConfiguration(name: "Shop", delegateClass: WindowSceneDelegate<ShopCoordinator>.self),
        ])

    private func door(_ room: Int) throws -> DoorCoordinator {
        let session = try application.requestSceneSessionActivation(
            configuration: "Door", options: ConnectionOptions(links: [.url("door://\(room)")]))
        return try #require(session.sceneCoordinator as? DoorCoordinator)
    }

    @Test("A scene that shows something else declines a link, and the scene that shows its page gets it")
    func declines() throws {
        let (twelve, fifteen) = (try door(12), try door(15))
        try application.open(.url("door://15"))
        #expect(twelve.shownPage == .room(12))
        #expect(fifteen.shownPage == .room(15))
        #expect(fifteen.opened == [15, 15])
    }

    @Test("If every scene declines, the error has the first one's reason and no screen changes")
    func none() throws {
        let twelve = try door(12)
        let error = try #require(throws: DeepLinkRefusal.self) { try application.open(.url("door://13")) }
        #expect(error.reason.contains("it is the sign of room 12"), "\(error)")
        #expect(twelve.opened == [12])
    }

    @Test("A scene that shows the page already is preferred to an earlier one that accepts it")
    func prefers() throws {
        func shop(_ url: String) throws -> ShopCoordinator {
            let session = try application.requestSceneSessionActivation(
                configuration: "Shop", options: ConnectionOptions(links: [.url(url)]))
            return try #require(session.sceneCoordinator as? ShopCoordinator)
        }
        let (first, second) = (try shop("shop://product/1"), try shop("shop://product/2"))
        #expect(first.acceptance(of: .url("shop://product/2")) == .accepted)
        try application.open(.url("shop://product/2"))
        #expect(first.displayed == [.product(id: 1)])
        #expect(second.displayed == [.product(id: 2), .product(id: 2)])
        try application.open(.url("shop://product/3"))
        #expect(first.displayed.last == .product(id: 3))
        guard case .declined(let reason) = first.acceptance(of: .url("shop://cellar")) else {
            Issue.record("it does not decline a link that it cannot resolve")
            return
        }
        #expect(reason.contains("there is no such page"))
    }

    @Test("A link for a session that is named is not declined")
    func named() throws {
        let twelve = try door(12)
        let session = try #require(twelve.scene?.session)
        try application.requestSceneSessionActivation(
            session, options: ConnectionOptions(links: [.url("door://14")]))
        #expect(twelve.shownPage == .room(14))
    }
}

private enum DoorPage: Page {
    case room(Int)
}

/// The sign at a door: it shows one room, and declines links for others.
private final class DoorCoordinator: SceneCoordinator<DoorPage> {
    private(set) var opened: [Int] = []

    override func resolve(_ link: DeepLink) throws -> DoorPage {
        guard let number = try link.urlParts()?.path.first.flatMap({ Int($0) }) else {
            throw DeepLinkRefusal(link, "it names no room")
        }
        return .room(number)
    }

    override func displayPage(_ page: DoorPage) {
        guard case .room(let number) = page else { return }
        opened.append(number)
        root(ViewController())
    }

    override func acceptance(of page: DoorPage) -> LinkAcceptance {
        guard case .room(let number) = shownPage, page != shownPage else { return super.acceptance(of: page) }
        return .declined("it is the sign of room \(number)")
    }
}
