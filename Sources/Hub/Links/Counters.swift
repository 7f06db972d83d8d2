/// Counts by name. Names are fixed texts of the host's own code, so that their number is bounded.
package struct Counters {
    /// Counted for each frame: without a search by name.
    var framesIn: UInt64 = 0
    var framesOut: UInt64 = 0
    private var others: [String: UInt64] = [:]

    package var values: [String: UInt64] {
        others.merging(["frames in": framesIn, "frames out": framesOut].filter { $0.value > 0 }) { $1 }
    }

    /// Takes over what is counted elsewhere.
    package mutating func set(_ name: String, to value: UInt64) {
        if value > 0 { others[name] = value }
    }

    package mutating func add(_ name: String) { others[name, default: 0] += 1 }
}
