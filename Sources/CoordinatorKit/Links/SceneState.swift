import CBOR

/// A scene's state to restore: its stack of pages, and what its screens chose to keep.
public struct SceneState<P: Page>: Codable, Hashable, Sendable {
    /// One screen of the stack.
    public struct Screen: Codable, Hashable, Sendable {
        public var page: P
        /// ``ViewController/restorationState`` of the screen.
        public var kept: [String: String]

        public init(page: P, kept: [String: String] = [:]) {
            self.page = page
            self.kept = kept
        }
    }

    public var screens: [Screen]

    public init(screens: [Screen]) {
        self.screens = screens
    }

    /// The type of the activity that carries a scene's state.
    public static var activityType: String { "scenebus.scene-state" }

    /// The state as an activity.
    public func activity() throws -> UserActivity {
        UserActivity(
            activityType: Self.activityType, title: nil, userInfo: ["screens": try CBORValue(encoding: screens)])
    }

    /// The state that an activity carries.
    /// - Returns: `nil` when the activity is of another type.
    /// - Throws: an error that names what could not be read.
    public init?(_ activity: UserActivity) throws {
        guard activity.activityType == Self.activityType else { return nil }
        screens = try activity.userInfo["screens"]?.decode(as: [Screen].self) ?? []
    }
}
