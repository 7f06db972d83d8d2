public import CBOR

/// What a user was doing, as a value: enough to go on with it in another scene, another process, another day.
public struct UserActivity: Codable, Hashable, Sendable {
    /// What kind of activity it is, in reverse-DNS style.
    public var activityType: String
    /// A name for people.
    public var title: String?
    /// The activity's data.
    public var userInfo: [String: CBORValue]

    public init(activityType: String, title: String? = nil, userInfo: [String: CBORValue] = [:]) {
        self.activityType = activityType
        self.title = title
        self.userInfo = userInfo
    }
}
