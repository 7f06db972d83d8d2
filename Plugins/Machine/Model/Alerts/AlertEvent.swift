/// What an ``AlertEngine`` found out about an alert.
public enum AlertEvent: Codable, Hashable, Sendable {
    /// It is new.
    case raised(Alert)
    /// It got worse or better. An acknowledged one stays acknowledged.
    case changedLevel(Alert, from: AlertLevel)
    /// It is over. The alert is as it was at its end.
    case cleared(Alert)
}
