import ChaosHistory
import Messaging

/// Records every value of the watched entries in this process's container.
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
