/// A change that an ``AlertEngine`` made to an alert.
public enum AlertEvent: Codable, Hashable, Sendable {
    /// The alert is new.
    case raised(Alert)
    /// The alert's level has changed. An acknowledged alert stays acknowledged.
    case changedLevel(Alert, from: AlertLevel)
    /// The alert has cleared. The value is its last state.
    case cleared(Alert)
}
