import ChaosHistory
import Foundation

/// The report at the end of a run.
struct ChaosReport: Encodable {
    var seed: UInt64
    /// The command that repeats the faults.
    var replay: String
    /// The folder of the kept records; `nil` when they are not kept.
    var folder: String?
    var verdict: Verdict

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    func table() -> String {
        var lines: [String] = []
        func section(_ title: String, _ rows: [(String, String)]) {
            lines += ["", title] + rows.map { "  \($0.padding(toLength: 44, withPad: " ", startingAt: 0))\($1)" }
        }
        section("FAULTS", verdict.faults.sorted { $0.key < $1.key }.map { ($0, "\($1)") })
        section(
            "REQUESTS",
            verdict.requests.sorted { $0.key < $1.key }.map { kind, outcomes in
                (kind, outcomes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
            })
        section("OBSERVATIONS", verdict.checked.sorted { $0.key < $1.key }.map { ($0, "\($1)") })
        section(
            "LONGEST, IN SECONDS",
            Set(verdict.longestDetection.keys).union(verdict.longestRestoration.keys).sorted().map { kind in
                func seconds(_ milliseconds: Int?) -> String {
                    milliseconds.map { String(format: "%.1f", Double($0) / 1000) } ?? "-"
                }
                return (
                    kind,
                    "detected \(seconds(verdict.longestDetection[kind])), restored \(seconds(verdict.longestRestoration[kind]))"
                )
            })
        section("PEAK MEMORY, IN MB", verdict.largestMemory.sorted { $0.key < $1.key }.map { ($0, "\($1)") })
        section("VIOLATIONS", Promise.allCases.map { ($0.title, "\(verdict.count(of: $0))") })
        if !verdict.isClean {
            lines += ["", "FIRST VIOLATIONS"]
            for promise in Promise.allCases {
                for violation in verdict.violations.filter({ $0.promise == promise }).prefix(5) {
                    lines.append("  \(promise.title), at \(violation.time / 1_000_000) ms: \(violation.detail)")
                }
            }
            lines += ["", "To repeat the faults: \(replay)"]
        }
        if let folder { lines.append("The records are in \(folder)") }
        return lines.joined(separator: "\n")
    }
}
