import CBOR
import CoordinatorKit
import Testing

/// Services, application and scenes in one process. The bus separates them without a change of the code.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct WholeApplicationTests {
    private let delegate = LibraryDelegate()
    private let application: Application

    init() throws {
        application = Application(
            delegate: delegate,
            configurations: [
                SceneConfiguration(name: "Reader", delegateClass: WindowSceneDelegate<ReaderCoordinator>.self),
                SceneConfiguration(name: "Board", delegateClass: WindowSceneDelegate<BoardCoordinator>.self),
            ])
        try application.launch()
    }

    private func open(_ configuration: String, _ links: DeepLink...) throws -> (SceneSession, Window) {
        let session = try application.requestSceneSessionActivation(
            configuration: configuration, options: ConnectionOptions(links: links))
        return (session, try #require(session.scene?.window))
    }

    @Test func `A message reaches the service, and its change reaches every scene before the reply`() async throws {
        let (reader, readerWindow) = try open("Reader")
        let (_, boardWindow) = try open("Board")
        #expect(boardWindow.content.texts == ["0 lent"])
        try await readerWindow.perform(action: "open:7")
        #expect(readerWindow.content.title == "Book 7")
        #expect(readerWindow.content.texts == ["here"])
        try await readerWindow.perform(action: "borrow")
        #expect(readerWindow.content.texts == ["lent to \(reader.persistentIdentifier)"])
        #expect(boardWindow.content.texts == ["1 lent"])
    }

    @Test func `An error of a service is thrown to the screen, and nothing changes`() async throws {
        let (_, first) = try open("Reader", .url("library://book/7"))
        let (_, second) = try open("Reader", .url("library://book/7"))
        try await first.perform(action: "borrow")
        await #expect(throws: BookIsLent(book: 7)) { try await second.perform(action: "borrow") }
        #expect(delegate.appDependency?.loans?.count == 1)
    }

    @Test func `A reconnected session continues at its page with the current container`() async throws {
        let (session, window) = try open("Reader", .url("library://book/3"))
        window.rootViewController?.children.last?.restorationState = ["page": "19"]
        let scene = try #require(session.scene)
        application.disconnect(scene)
        let (_, other) = try open("Reader", .url("library://book/3"))
        try await other.perform(action: "borrow")
        try application.requestSceneSessionActivation(session)
        let again = try #require(session.scene?.window)
        #expect(again.content.title == "Book 3")
        #expect(again.content.texts == ["lent to \(application.openSessions[1].persistentIdentifier)"])
        #expect(again.rootViewController?.children.map(\.restorationState) == [[:], ["page": "19"]])
        try await again.perform(action: "back")
        #expect(again.content.title == "Library")
    }

    @Test func `A post through a service reference reaches the service`() async throws {
        _ = try open("Board")
        let loans = try #require(delegate.appDependency?.lending)
        loans.bookReturn(7)
        #expect(delegate.returns == [7])
    }

    @Test func `Closing every session leaves nothing behind`() throws {
        weak var coordinator: ReaderCoordinator?
        do {
            let (session, _) = try open("Reader", .url("library://book/7"))
            coordinator = session.sceneCoordinator as? ReaderCoordinator
            #expect(coordinator != nil)
            application.requestSceneSessionDestruction(session)
        }
        #expect(coordinator == nil)
        #expect(application.openSessions.isEmpty)
        #expect(application.connectedScenes.isEmpty)
    }
}

@ResponderMessages protocol LendingMessages {
    func bookBorrow(_ book: Int) async throws
    func bookReturn(_ book: Int)
}

extension ResponderChain: LendingMessages {}
extension ServiceReference: LendingMessages where Messages == any LendingMessages {}

extension AppDependency {
    /// The session that has each book, by book.
    @Entry var loans: [Int: String]?
    @Entry var lending: ServiceReference<any LendingMessages>?
}

private struct BookIsLent: Error, Equatable {
    let book: Int
}

private final class LibraryDelegate: AppDelegate, LendingMessages {
    private(set) var returns: [Int] = []

    override func rebuildDependencies() {
        let name = "whole-application-tests.\(ObjectIdentifier(self))"
        ServiceDirectory.shared.provide(name, self)
        appDependency = AppDependency {
            $0.loans = [:]
            $0.lending = ServiceReference(name)
        }
    }

    func bookBorrow(_ book: Int) async throws {
        guard appDependency?.loans?[book] == nil else { throw BookIsLent(book: book) }
        await Task.yield()
        appDependency?.loans?[book] = MessageContext.current?.session
    }

    func bookReturn(_ book: Int) {
        returns.append(book)
        appDependency?.loans?[book] = nil
    }
}

private enum ReaderPage: Page {
    case list
    case book(Int)
}

private final class ReaderCoordinator: SceneCoordinator<ReaderPage> {
    override var initialPage: ReaderPage? { .list }

    override func resolve(_ link: DeepLink) throws -> ReaderPage {
        guard let book = try link.urlParts()?.path.last.flatMap({ Int($0) }) else {
            throw DeepLinkRefusal(link, "it names no book")
        }
        return .book(book)
    }

    override func displayPage(_ page: ReaderPage) {
        if viewControllers.isEmpty { root(ListScreen(onOpen: { [weak self] in self?.display(page: .book($0)) })) }
        if case .book(let book) = page {
            let screen = BookScreen(book)
            screen.loans = appDependency?.loans ?? [:]
            show(screen)
        }
    }

    override func dependenciesDidChange() {
        for case let screen as BookScreen in viewControllers { screen.loans = appDependency?.loans ?? [:] }
    }
}

private final class ListScreen: ViewController {
    private let onOpen: (Int) -> Void

    init(onOpen: @escaping (Int) -> Void) {
        self.onOpen = onOpen
        super.init()
        page = ReaderPage.list
    }

    override var content: ScreenContent {
        ScreenContent(
            title: "Library",
            items: [3, 7].map { ScreenContent.Item(id: "\($0)", title: "Book \($0)", action: "open:\($0)") })
    }

    override func perform(action: String, fields: [String: String]) async throws {
        if let book = Int(action.dropFirst("open:".count)) { onOpen(book) }
    }
}

private final class BookScreen: ViewController {
    private let book: Int
    var loans: [Int: String] = [:]

    init(_ book: Int) {
        self.book = book
        super.init()
        page = ReaderPage.book(book)
    }

    override var content: ScreenContent {
        ScreenContent(
            title: "Book \(book)", texts: [loans[book].map { "lent to \($0)" } ?? "here"],
            actions: [ScreenContent.Action(name: "borrow")])
    }

    override func perform(action: String, fields: [String: String]) async throws {
        try await chain.bookBorrow(book)
    }
}

private enum BoardPage: Page {
    case count
}

/// A screen that only displays.
private final class BoardCoordinator: SceneCoordinator<BoardPage> {
    override var initialPage: BoardPage? { .count }

    override func displayPage(_ page: BoardPage) { root(BoardScreen()) }

    override func dependenciesDidChange() {
        for case let screen as BoardScreen in viewControllers { screen.count = appDependency?.loans?.count ?? 0 }
    }
}

private final class BoardScreen: ViewController {
    var count = 0
    override var content: ScreenContent { ScreenContent(texts: ["\(count) lent"]) }
}
