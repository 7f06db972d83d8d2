import Glibc

/// What has happened to a store's files in one life of the host. Each stays a problem after the store was written anew,
/// because somebody has to find the cause.
struct StoreDamages {
    private struct Damage {
        let loss: StoreError
        let restored: HostStore.Restored
        var count = 1
        var last: time_t

        func isSame(_ loss: StoreError, _ restored: HostStore.Restored) -> Bool {
            self.loss.reason == loss.reason && self.restored == restored
        }
    }

    /// The newest last.
    private var damages: [Damage] = []
    private var omitted = 0
    private static let maximum = 8

    /// Adds a damage, or counts one that has happened before.
    ///
    /// When there are too many, the oldest goes; those that have lost something stay longest.
    mutating func add(_ loss: StoreError, _ restored: HostStore.Restored, at time: time_t) {
        var damage = Damage(loss: loss, restored: restored, last: time)
        if let index = damages.firstIndex(where: { $0.isSame(loss, restored) }) {
            damage.count += damages.remove(at: index).count
        }
        damages.append(damage)
        guard damages.count > Self.maximum else { return }
        omitted += damages.remove(at: damages.firstIndex { $0.restored == .whole } ?? 0).count
    }

    /// A description of each, the oldest first, with its time and how often it has happened.
    var descriptions: [String] {
        let shown = damages.map { damage in
            let time = Self.text(of: damage.last)
            let times = damage.count == 1 ? "at \(time)" : "\(damage.count) times, last at \(time)"
            return Self.text(of: damage.loss, damage.restored, " (\(times))")
        }
        return omitted == 0 ? shown : ["the store was damaged \(omitted) more times; the log says how"] + shown
    }

    /// Describes a damage, for the log, whose lines have a time.
    static func text(of loss: StoreError, _ restored: HostStore.Restored, _ times: String = "") -> String {
        let rest =
            switch restored {
            case .whole: "nothing is missing in it"
            case .fromMemory:
                "it has what the host had in memory: the sessions and the names of recorded requests. The replies to "
                    + "recorded requests are missing, and rows that could not be read"
            }
        return "\(loss.reason)\(times), and was written anew; \(rest). Find out who does that, then restart the host"
    }

    /// The time as the log has it.
    private static func text(of time: time_t) -> String {
        var (time, parts) = (time, tm())
        localtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }
}
