import Foundation

/// The resources that a process of this machine uses, from `/proc`.
enum ProcessUse {
    /// The memory in bytes: `rss` includes all shared memory, `pss` a proportional share. 0 for a process that has
    /// ended.
    static func memory(of pid: Int32) -> (pss: Int, rss: Int) {
        let text = read("/proc/\(pid)/smaps_rollup")
        func bytes(_ key: String) -> Int {
            text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
                .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
        }
        return (bytes("Pss"), bytes("Rss"))
    }

    /// The processor time of all threads since the start, in seconds.
    static func processorSeconds(of pid: Int32) -> Double {
        // The name, in parentheses, may contain anything, so fields are counted after it. User time is field 14, system
        // time field 15.
        let text = read("/proc/\(pid)/stat")
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst()
        let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func read(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
