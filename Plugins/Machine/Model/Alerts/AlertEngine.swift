/// Evaluates samples, and raises and clears alerts.
///
/// An alert is raised when a figure stays at its threshold or above for the rules' `holdSeconds`, and clears as soon as
/// the figure falls below the rules' `clearFraction` of the lowest threshold. An acknowledged alert is no longer open
/// but stays active until it clears, so that it isn't raised again meanwhile.
public struct AlertEngine: Hashable, Sendable {
    /// The rules; new ones apply from the next sample on.
    public var rules: AlertRules

    private struct Watch: Hashable {
        var alert: Alert?
        /// When the figure reached each level, in seconds of the monotonic clock.
        var since: [AlertLevel: Double] = [:]
    }

    private var watches: [String: Watch] = [:]

    /// - Parameter rules: Which figures raise alerts, and when.
    public init(rules: AlertRules) {
        self.rules = rules
    }

    /// All alerts that were raised and haven't cleared, ordered by id.
    public var activeAlerts: [Alert] { watches.values.compactMap(\.alert).sorted { $0.id < $1.id } }

    /// The active alerts that are not acknowledged, ordered by id.
    public var openAlerts: [Alert] { activeAlerts.filter { $0.acknowledgedBy == nil } }

    /// Evaluates a sample.
    ///
    /// An alert whose figure is missing from the sample stays unchanged. An alert clears when its disk is no longer
    /// mounted or its rule was removed.
    ///
    /// - Parameters:
    ///   - sample: The state of the machine.
    ///   - now: The time of the sample, in seconds of a monotonic clock. Durations are measured with it, so that
    ///     setting the time of day does not affect them.
    ///   - timeOfDay: The time of the sample, in seconds since 1970; only for display.
    /// - Returns: The changes, in the order cpu, memory, load, disks.
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

    /// Records that a user has acknowledged an alert.
    ///
    /// - Parameters:
    ///   - id: The alert's id.
    ///   - user: The name of the user.
    ///   - timeOfDay: The time, in seconds since 1970.
    /// - Returns: The acknowledged alert.
    /// - Throws: `unknownAlert`, `alreadyAcknowledged`.
    @discardableResult
    public mutating func acknowledge(_ id: String, by user: String, timeOfDay: Double) throws(AlertError) -> Alert {
        guard var alert = watches[id]?.alert else {
            throw AlertError(
                .unknownAlert,
                "There is no active alert '\(id.prefix(200))': it may have cleared. Check the list of open alerts.")
        }
        if let other = alert.acknowledgedBy {
            throw AlertError(
                .alreadyAcknowledged(by: other),
                "The alert '\(id)' has already been acknowledged by \(other).")
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

    /// The highest level whose threshold was reached for long enough.
    private func heldLevel(_ watch: Watch, at now: Double) -> AlertLevel? {
        [AlertLevel.error, .warning].first { level in
            watch.since[level].map { now - $0 >= rules.holdSeconds } ?? false
        }
    }

    private func update(_ alert: Alert, with reading: AlertReading, held: AlertLevel?) -> AlertEvent? {
        guard let lowest = reading.threshold.warning ?? reading.threshold.error else { return nil }
        if reading.value < lowest * rules.clearFraction {
            return .cleared(refreshed(alert, level: alert.level, reading))
        }
        switch alert.level {
        case .warning where held == .error:
            return .changedLevel(refreshed(alert, level: .error, reading), from: .warning)
        case .error where reading.threshold.error.map { reading.value < $0 * rules.clearFraction } ?? true:
            return .changedLevel(refreshed(alert, level: .warning, reading), from: .error)
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
        // New rules may have removed the threshold of this level.
        alert.threshold = reading.threshold.value(of: level) ?? alert.threshold
        alert.title = reading.title(level)
        alert.detail = reading.detail(threshold: alert.threshold)
        return alert
    }
}
