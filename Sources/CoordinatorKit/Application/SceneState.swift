public import Messaging
import CBOR

/// A scene's state to restore: its stack of pages, and what its screens chose to keep.
public struct SceneState<P: Page>: Codable, Hashable, Sendable {
    /// One screen of the stack.
    public struct Screen: Codable, Hashable, Sendable {
        /// The page that it shows.
        public var page: P
        /// ``ViewController/restorationState`` of the screen.
        public var kept: [String: String]

        public init(page: P, kept: [String: String] = [:]) {
            self.page = page
            self.kept = kept
        }
    }

    /// The stack, bottom first.
    public var screens: [Screen]

    public init(screens: [Screen]) {
        self.screens = screens
    }

    /// The type of the activity that carries a scene's state.
    public static var activityType: String { "scenebus.scene-state" }

    /// The state as an activity.
    /// - Parameter version: the version of the scene's state; see ``SceneCoordinator/stateVersion``.
    /// - Throws: the error of a page that cannot be encoded.
    public func activity(version: Int = 1) throws -> UserActivity {
        var info = ["screens": try CBORValue(encoding: screens)]
        if version != 1 { info["version"] = try CBORValue(encoding: version) }
        return UserActivity(activityType: Self.activityType, title: nil, userInfo: info)
    }

    /// The version of the state that an activity carries: 1 when it does not say.
    static func version(of activity: UserActivity) -> Int {
        guard activity.activityType == activityType else { return 1 }
        return (try? activity.userInfo["version"]?.decode(as: Int.self)) ?? 1
    }

    /// The state that an activity carries.
    /// - Returns: `nil` when the activity is of another type.
    /// - Throws: an error that names what could not be read.
    public init?(_ activity: UserActivity) throws {
        guard activity.activityType == Self.activityType else { return nil }
        screens = try activity.userInfo["screens"]?.decode(as: [Screen].self) ?? []
    }
}

/// A scene's state that a newer version of the scene has written.
public struct SceneStateUnreadable: Error, Hashable, Sendable, CustomStringConvertible {
    /// The version that wrote it.
    public let version: Int
    /// The newest version that this scene can read.
    public let known: Int

    public var description: String {
        "version \(version) of the scene wrote the state, and this one reads up to version \(known)"
    }
}
