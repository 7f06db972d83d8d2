/// Raises and clears alerts: samples in, events out.
///
/// An alert is raised when a figure stays at its threshold or above for the rules' `holdSeconds`, and clears as soon as
/// the figure falls below the rules' `clearFraction` of the lowest threshold. An acknowledged alert isn't open any more
/// but stays active until it clears, so that the same trouble isn't raised again meanwhile.
public struct AlertEngine: Hashable, Sendable {
    /// The rules; new ones apply from the next sample on.
    public var rules: AlertRules

    private struct Watch: Hashable {
        var alert: Alert?
        /// Seconds of the monotonic clock.
        var since: [AlertLevel: Double] = [:]
    }

    private var watches: [String: Watch] = [:]

    /// - Parameter rules: Which figures raise alerts, and when.
    public init(rules: AlertRules) {
        self.rules = rules
    }

    /// All alerts that were raised and haven't cleared, ordered by id.
    public var activeAlerts: [Alert] { watches.values.compactMap(\.alert).sorted { $0.id < $1.id } }

    /// The active alerts that nobody has acknowledged, ordered by id.
    public var openAlerts: [Alert] { activeAlerts.filter { $0.acknowledgedBy == nil } }

    /// Looks at a sample. A figure that is missing from it leaves its alert as it is; the alert of a disk that isn't
    /// mounted any more, and of a rule that was taken away, clears.
    ///
    /// - Parameters:
    ///   - sample: The state of the machine.
    ///   - now: When it was taken, in seconds of a monotonic clock: durations are measured by it, so that an alert is
    ///     neither early nor late when somebody sets the time of day.
    ///   - timeOfDay: The same moment in seconds since 1970: only shown.
    /// - Returns: What changed, in the order cpu, memory, load, disks.
    public mutating func evaluate(_ sample: MachineSample, at now: Double, timeOfDay: Double) -> [AlertEvent] {
        precondition(now.isFinite, "the time of a sample is a finite number of seconds")
        let readings = AlertReading.all(of: sample, rules)
        var events = readings.compactMap { evaluate($0, at: now, timeOfDay: timeOfDay) }
        let seen = Set(readings.map(\.id))
        for id in watches.keys.sorted() where !seen.contains(id) && !AlertReading.isUnknown(id, in: sample, rules) {
            if let alert = watches.removeValue(forKey: id)?.alert { events.append(.cleared(alert)) }
        }
        return events
    }

    /// Notes that somebody has seen an alert and looks after it.
    ///
    /// - Parameters:
    ///   - id: The alert's id.
    ///   - user: Who it is.
    ///   - timeOfDay: When, in seconds since 1970.
    /// - Returns: The alert as it is now.
    /// - Throws: `unknownAlert`, `alreadyAcknowledged`.
    @discardableResult
    public mutating func acknowledge(_ id: String, by user: String, timeOfDay: Double) throws(AlertError) -> Alert {
        guard var alert = watches[id]?.alert else {
            throw AlertError(
                .unknownAlert,
                "There is no active alert '\(id.prefix(200))': it may have cleared, look at the list again.")
        }
        if let other = alert.acknowledgedBy {
            throw AlertError(
                .alreadyAcknowledged(by: other),
                "The alert '\(id)' was acknowledged by \(other) already: nothing is left to do.")
        }
        alert.acknowledgedBy = user
        alert.acknowledgedAt = timeOfDay
        watches[id]?.alert = alert
        return alert
    }

    private mutating func evaluate(_ reading: AlertReading, at now: Double, timeOfDay: Double) -> AlertEvent? {
        var watch = watches[reading.id] ?? Watch()
        for level in AlertLevel.allCases {
            let isReached = reading.threshold.value(of: level).map { reading.value >= $0 } ?? false
            watch.since[level] = isReached ? watch.since[level] ?? now : nil
        }
        let event: AlertEvent?
        if let alert = watch.alert {
            event = update(alert, with: reading, held: heldLevel(watch, at: now))
        } else {
            event = heldLevel(watch, at: now).map { .raised(raise($0, reading, timeOfDay: timeOfDay)) }
        }
        switch event {
        case .raised(let alert), .changedLevel(let alert, _):
            watch.alert = alert
        case .cleared:
            watch.alert = nil
        case nil:
            watch.alert = watch.alert.map { refreshed($0, level: $0.level, reading) }
        }
        watches[reading.id] = watch
        return event
    }

    /// The worst level that was reached for long enough.
    private func heldLevel(_ watch: Watch, at now: Double) -> AlertLevel? {
        [AlertLevel.critical, .warning].first { level in
            watch.since[level].map { now - $0 >= rules.holdSeconds } ?? false
        }
    }

    private func update(_ alert: Alert, with reading: AlertReading, held: AlertLevel?) -> AlertEvent? {
        guard let lowest = reading.threshold.warning ?? reading.threshold.critical else { return nil }
        if reading.value < lowest * rules.clearFraction {
            return .cleared(refreshed(alert, level: alert.level, reading))
        }
        switch alert.level {
        case .warning where held == .critical:
            return .changedLevel(refreshed(alert, level: .critical, reading), from: .warning)
        case .critical where reading.threshold.critical.map { reading.value < $0 * rules.clearFraction } ?? true:
            return .changedLevel(refreshed(alert, level: .warning, reading), from: .critical)
        default:
            return nil
        }
    }

    private func raise(_ level: AlertLevel, _ reading: AlertReading, timeOfDay: Double) -> Alert {
        let empty = Alert(
            id: reading.id, level: level, title: "", detail: "", value: 0, threshold: 0, raisedAt: timeOfDay)
        return refreshed(empty, level: level, reading)
    }

    private func refreshed(_ alert: Alert, level: AlertLevel, _ reading: AlertReading) -> Alert {
        var alert = alert
        alert.level = level
        alert.value = reading.value
        // New rules may have taken the level's own threshold away.
        alert.threshold = reading.threshold.value(of: level) ?? alert.threshold
        alert.title = reading.title(level)
        alert.detail = reading.detail(threshold: alert.threshold)
        return alert
    }
}
