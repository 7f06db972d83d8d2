import CoordinatorKit
import Messaging
import Testing

extension AppDependency {
    @Entry(.session) fileprivate var reader: String?
    @Entry fileprivate var library: String?
}

private enum ShelfPage: Page { case shelf }

@MainActor
private final class ShelfCoordinator: SceneCoordinator<ShelfPage> {
    /// How often the container has changed.
    var changes = 0

    override func dependenciesDidChange() { changes += 1 }
}

/// Entries with a value for each session, in an application that runs its scenes itself.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SessionEntryTests {
    private let application: Application
    private let one: SceneSession
    private let two: SceneSession

    init() throws {
        application = Application(configurations: [
            SceneConfiguration(name: "Shelf", delegateClass: WindowSceneDelegate<ShelfCoordinator>.self)
        ])
        one = try application.requestSceneSessionActivation()
        two = try application.requestSceneSessionActivation(nil, configuration: "Shelf")
    }

    private func coordinator(_ session: SceneSession) throws -> ShelfCoordinator {
        try #require(session.sceneCoordinator as? ShelfCoordinator)
    }

    @Test func `A value reaches the coordinators of its session, and no others are called`() throws {
        let before = try (coordinator(one).changes, coordinator(two).changes)
        try application.set(\.reader, to: "Ada", for: one)
        #expect(try coordinator(one).appDependency?.reader == "Ada")
        #expect(try coordinator(two).appDependency?.reader == nil)
        #expect(try (coordinator(one).changes, coordinator(two).changes) == (before.0 + 1, before.1))
        #expect(application.appDependency(of: one)?.reader == "Ada")
        #expect(application.appDependency(of: two)?.reader == nil)
    }

    @Test func `What all sessions share reaches every scene, and keeps the sessions' own values`() throws {
        try application.set(\.reader, to: "Ada", for: one)
        application.delegate.appDependency?.library = "Bodleian"
        #expect(try coordinator(one).appDependency?.library == "Bodleian")
        #expect(try coordinator(two).appDependency?.library == "Bodleian")
        #expect(try coordinator(one).appDependency?.reader == "Ada")
    }

    @Test func `A value outlives the scene, and ends with the session`() throws {
        try application.set(\.reader, to: "Ada", for: one)
        application.disconnect(try #require(one.scene))
        try application.requestSceneSessionActivation(one)
        #expect(try coordinator(one).appDependency?.reader == "Ada")
        application.requestSceneSessionDestruction(one)
        #expect(application.delegate.appDependency?.keys == [])
        #expect(throws: EntryRefused.self) { try application.set(\.reader, to: "Ada", for: one) }
    }

    @Test func `A value is removed with nil`() throws {
        try application.set(\.reader, to: "Ada", for: one)
        try application.set(\.reader, to: nil, for: one)
        #expect(try coordinator(one).appDependency?.reader == nil)
    }

    @Test func `An entry that all sessions share is not set for one, and one of sessions not for all`() throws {
        #expect(throws: EntryRefused.self) { try application.set(\.library, to: "Bodleian", for: one) }
        application.delegate.appDependency?.reader = "Ada"
        #expect(application.delegate.appDependency?.keys == [])
        #expect(try coordinator(one).appDependency?.reader == nil)
    }

    @Test func `A session that is given a container made by hand has its values`() throws {
        one.appDependency = AppDependency { $0.reader = "Ada" }
        #expect(try coordinator(one).appDependency?.reader == "Ada")
        one.appDependency?.reader = "Bo"
        #expect(try coordinator(one).appDependency?.reader == "Bo")
    }
}
