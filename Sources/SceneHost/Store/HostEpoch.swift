import Foundation

/// The epoch of a run of the host: a number that is greater for each run.
enum HostEpoch {
    /// The upper bound of epochs. Every epoch is smaller.
    static let maximum = EpochFile.maximumEpoch

    /// Returns the epoch of the next run: the time in milliseconds since 1970, unless that does not exceed the last epoch.
    ///
    /// It is greater than the last one even when the clock was set back: fencing tokens and revisions must not go back.
    /// - Throws: ``HostError`` when the clock or the last epoch is too late for a valid epoch.
    static func next(after last: UInt64, at now: Date) throws -> UInt64 {
        let time = max(0, now.timeIntervalSince1970 * 1000)
        guard time < Double(maximum) else {
            throw HostError(
                .failed, "the machine's clock says \(now), which is too late for an epoch; set the clock")
        }
        let epoch = max(UInt64(time), last + 1)
        guard epoch < UInt64(maximum) else {
            throw HostError(.failed, "the store's last epoch is \(last), the largest possible one; name another store")
        }
        return epoch
    }
}
