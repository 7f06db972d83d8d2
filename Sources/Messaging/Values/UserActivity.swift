public import CBOR

/// What a user was doing, as a value from which it can be continued later in another scene or process.
public struct UserActivity: Codable, Hashable, Sendable {
    /// The kind of activity, in reverse-DNS notation.
    public var activityType: String
    /// The title that people see.
    public var title: String?
    /// The activity's data.
    public var userInfo: [String: CBORValue]

    public init(activityType: String, title: String? = nil, userInfo: [String: CBORValue] = [:]) {
        self.activityType = activityType
        self.title = title
        self.userInfo = userInfo
    }
}
