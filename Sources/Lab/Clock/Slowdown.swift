import Glibc

/// By how much a profiler slows down a process of the benchmark.
package enum Slowdown {
    /// The environment variable through which the process learns it.
    package static let variable = "SCENEBUS_BENCH_SLOWDOWN"

    /// By how much callgrind slows down the measured programs at least. Turns must remain shorter than heartbeats.
    package static let callgrind = 20

    /// The slowdown of this process; 1 without a profiler.
    package static var current: Int {
        getenv(variable).flatMap { Int(String(cString: $0)) }.map { max(1, $0) } ?? 1
    }
}
