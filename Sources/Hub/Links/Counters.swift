/// Counters by name. The names are constants in the host's own code, so their number is bounded.
package struct Counters {
    /// These two are incremented for each frame. They are properties to avoid a lookup by name.
    var framesIn: UInt64 = 0
    var framesOut: UInt64 = 0
    private var others: [String: UInt64] = [:]

    package var values: [String: UInt64] {
        others.merging(["frames in": framesIn, "frames out": framesOut].filter { $0.value > 0 }) { $1 }
    }

    /// Sets a counter that is maintained elsewhere.
    package mutating func set(_ name: String, to value: UInt64) {
        if value > 0 { others[name] = value }
    }

    package mutating func add(_ name: String, _ count: Int = 1) {
        if count > 0 { others[name, default: 0] += UInt64(count) }
    }
}
