/// How busy the processors were between two samples.
///
/// Busy is everything but idle and waiting for disks; time that a hypervisor took away counts as busy, since the
/// machine had work for it.
public struct CPUUsage: Codable, Hashable, Sendable {
    /// The busy fraction of all cores together, 0...1.
    public let total: Double
    /// The busy fraction of each core that is online, 0...1, ordered by core number. 0 for a core that isn't known
    /// long enough.
    public let perCore: [Double]

    /// - Parameters:
    ///   - total: 0...1.
    ///   - perCore: 0...1 each.
    public init(total: Double, perCore: [Double]) {
        self.total = total
        self.perCore = perCore
    }
}
