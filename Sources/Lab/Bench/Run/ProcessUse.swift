import Foundation

/// What a process of this machine uses, as the kernel tells it.
enum ProcessUse {
    /// Bytes of memory: `rss` with all that is shared, `pss` with a fair part of it. 0 for a process that is gone.
    static func memory(of pid: Int32) -> (pss: Int, rss: Int) {
        let text = read("/proc/\(pid)/smaps_rollup")
        func bytes(_ key: String) -> Int {
            text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
                .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
        }
        return (bytes("Pss"), bytes("Rss"))
    }

    /// Seconds of processor time since its start, of all its threads.
    static func processorSeconds(of pid: Int32) -> Double {
        // The name, in parentheses, may hold anything; fields are counted after it: user time is the 14th, system the 15th.
        let text = read("/proc/\(pid)/stat")
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst()
        let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func read(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
