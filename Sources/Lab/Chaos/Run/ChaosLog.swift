import LabClock
import ChaosHistory
import Foundation
import Synchronization

/// The file to which a process writes its records. Lines are not buffered in the process, so a kill loses none.
final class ChaosLog: Sendable {
    let process: String
    private let descriptor: Int32

    /// - Parameter process: the name of this process's place.
    /// - Throws: ``ChaosError`` when the file cannot be written.
    init(folder: String, process: String) throws {
        self.process = process
        let path = Self.path(of: process, pid: getpid(), in: folder)
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw ChaosError("cannot write \(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Writes a line.
    /// - Parameters:
    ///   - time: the time of the event; `nil` for now.
    ///   - pid: the process of the event.
    func write(_ event: Event, at time: UInt64? = nil, pid: Int32 = getpid(), process: String? = nil) {
        let record = HistoryRecord(
            time: time ?? MonotonicTime.nanoseconds, process: process ?? self.process, pid: pid, event: event)
        // Encoding a record cannot fail.
        guard var line = try? JSONEncoder().encode(record) else { return }
        line.append(UInt8(ascii: "\n"))
        _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    private static func path(of process: String, pid: Int32, in folder: String) -> String {
        "\(folder)/\(process)-\(pid).jsonl"
    }

    /// The last values of the entries in a process's log.
    static func lastSeen(by process: String, pid: Int32, in folder: String) -> [String: Counter] {
        var seen: [String: Counter] = [:]
        for event in lastEvents(of: process, pid: pid, in: folder) {
            if case .saw(let entry, let value) = event { seen[entry] = value }
        }
        return seen
    }

    /// The last pictures of the sessions' scenes in a process's log.
    static func lastShown(to process: String, pid: Int32, in folder: String) -> [String: ShownPicture] {
        var shown: [String: ShownPicture] = [:]
        for event in lastEvents(of: process, pid: pid, in: folder) {
            if case .shown(let session, let picture) = event { shown[session] = picture }
        }
        return shown
    }

    private static func lastEvents(of process: String, pid: Int32, in folder: String) -> [Event] {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path(of: process, pid: pid, in: folder))) else {
            return []
        }
        return data.suffix(64 << 10).split(separator: UInt8(ascii: "\n")).compactMap {
            (try? JSONDecoder().decode(HistoryRecord.self, from: $0))?.event
        }
    }

    /// Reads the logs of all processes.
    static func records(in folder: String) throws -> [HistoryRecord] {
        let decoder = JSONDecoder()
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }.sorted()
            .flatMap { name -> [HistoryRecord] in
                let lines = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
                    .split(separator: UInt8(ascii: "\n"))
                // The last line of a killed process may be incomplete.
                return lines.compactMap { try? decoder.decode(HistoryRecord.self, from: $0) }
            }
    }
}

/// The reason why the run failed, with the remedy.
struct ChaosError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
