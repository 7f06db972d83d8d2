public import Messaging
import CBOR

/// The state from which a scene is restored: its stack of pages, and the restoration state of its screens.
public struct SceneRestorationState<P: Page>: Codable, Hashable, Sendable {
    /// One screen of the stack.
    public struct Screen: Codable, Hashable, Sendable {
        /// The page that the screen shows.
        public var page: P
        /// The ``ViewController/restorationState`` of the screen.
        public var kept: [String: String]
        /// The encoded page of the child coordinator that shows the screen, if its pages are not those of the scene.
        /// `page` is then the page of the scene that it belongs to.
        var nested: CBORValue?

        public init(page: P, kept: [String: String] = [:]) {
            self.init(page: page, kept: kept, nested: nil)
        }

        init(page: P, kept: [String: String], nested: CBORValue?) {
            self.page = page
            self.kept = kept
            self.nested = nested
        }
    }

    /// The stack, from the bottom up.
    public var screens: [Screen]

    public init(screens: [Screen]) {
        self.screens = screens
    }

    /// The type of the activity that carries a scene's state.
    public static var activityType: String { "scenebus.scene-state" }

    /// Encodes the state as an activity. It ends below the first page that holds a ``Secret``: secrets are not stored.
    /// - Parameter version: The version of the scene's state; see ``SceneCoordinator/stateVersion``.
    /// - Throws: The error of a page that cannot be encoded.
    public func activity(version: Int = 1) throws -> UserActivity {
        let kept = try screens.map { try CBORValue(encoding: $0) }.prefix { !$0.holdsSecret }
        var info = ["screens": CBORValue.array(Array(kept))]
        if version != 1 { info["version"] = try CBORValue(encoding: version) }
        return UserActivity(activityType: Self.activityType, title: nil, userInfo: info)
    }

    /// The version of the state in an activity; 1 if the activity contains none.
    static func version(of activity: UserActivity) -> Int {
        guard activity.activityType == activityType else { return 1 }
        return (try? activity.userInfo["version"]?.decode(as: Int.self)) ?? 1
    }

    /// Decodes the state from an activity.
    /// - Returns: `nil` if the activity has another type.
    /// - Throws: An error that names the part that could not be read.
    public init?(_ activity: UserActivity) throws {
        guard activity.activityType == Self.activityType else { return nil }
        screens = try activity.userInfo["screens"]?.decode(as: [Screen].self) ?? []
    }
}

/// An error for a scene's state that was written by a newer version of the scene.
public struct SceneStateUnreadable: Error, Hashable, Sendable, CustomStringConvertible {
    /// The version that wrote the state.
    public let version: Int
    /// The newest version of the state that this scene can read.
    public let known: Int

    public var description: String {
        "the state was written by version \(version) of the scene, and this one reads versions up to \(known)"
    }
}
