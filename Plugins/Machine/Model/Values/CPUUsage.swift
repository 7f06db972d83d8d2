/// The usage of the processors between two samples.
///
/// All time except idle time and time waiting for disks is busy. Time stolen by a hypervisor counts as busy, because
/// the machine had work to do.
public struct CPUUsage: Codable, Hashable, Sendable {
    /// The busy fraction of all cores together, 0...1.
    public let total: Double
    /// The busy fraction of each online core, 0...1, ordered by core number. 0 for a core that was not in the previous
    /// sample.
    public let perCore: [Double]

    /// - Parameters:
    ///   - total: 0...1.
    ///   - perCore: 0...1 each.
    public init(total: Double, perCore: [Double]) {
        self.total = total
        self.perCore = perCore
    }
}
