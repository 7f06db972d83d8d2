import ChaosHistory
import Messaging

/// Writes down each value of the watched entries that this process's container gets.
@MainActor
final class EntryWatch {
    private let log: ChaosLog
    private var last: [WatchedEntry: Counter] = [:]

    init(_ log: ChaosLog) {
        self.log = log
    }

    func look(at container: AppDependency?) {
        for entry in WatchedEntry.allCases {
            let value = entry.value(in: container)
            guard value != last[entry] else { continue }
            last[entry] = value
            log.write(.saw(entry: entry.rawValue, value: value))
        }
    }
}
