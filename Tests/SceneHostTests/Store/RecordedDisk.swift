import TestKit
import SeededRandom
import CStoreLog
import Foundation

/// The files of one folder as a disk has them: synced changes are certain, and of the others any part may have been
/// written.
struct RecordedDisk {
    /// Which unsynced changes have reached the disk when the power is cut.
    enum Luck: Hashable, CaseIterable {
        /// None.
        case nothing
        /// All, as when only the process is killed.
        case everything
        /// The folder's names, but none of the contents.
        case names
        /// The contents, but no names.
        case contents
        /// Some changes; of a write perhaps only some sectors.
        case some, others
    }

    private enum Change {
        case write([UInt8], at: Int)
        case truncate(Int)
    }

    /// A file's contents, which are synced independently of its name.
    private struct Contents {
        var synced: [UInt8] = []
        var changes: [Change] = []
    }

    private enum NameChange {
        case add(String, contents: Int)
        case remove(String)
    }

    private var contents: [Contents] = []
    private var names: [String: Int] = [:]
    private var nameChanges: [NameChange] = []
    /// The index of the contents for each open file.
    private var open: [Int32: Int] = [:]
    /// The last mark that the test set.
    private(set) var mark: Int64 = 0

    /// - Parameter folder: The folder whose current files count as synced.
    init(_ folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            names[name] = contents.count
            contents.append(Contents(synced: Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))))
        }
    }

    mutating func apply(_ entry: store_log_entry) {
        let name = entry.name.map { String(cString: $0) } ?? ""
        func change(_ change: Change) { if let place = open[entry.file] { contents[place].changes.append(change) } }
        switch store_log_kind(UInt32(entry.kind)) {
        case STORE_LOG_OPEN:
            if let place = currentNames[name] {
                open[entry.file] = place
            } else {
                open[entry.file] = contents.count
                nameChanges.append(.add(name, contents: contents.count))
                contents.append(Contents())
            }
        case STORE_LOG_WRITE:
            change(.write(Array(UnsafeBufferPointer(start: entry.bytes, count: entry.length)), at: Int(entry.value)))
        case STORE_LOG_TRUNCATE:
            change(.truncate(Int(entry.value)))
        case STORE_LOG_SYNC:
            guard let place = open[entry.file] else { return }
            contents[place].synced = Self.apply(contents[place].changes, to: contents[place].synced)
            contents[place].changes = []
        case STORE_LOG_REMOVE:
            nameChanges.append(.remove(name))
        case STORE_LOG_SYNC_FOLDER:
            names = currentNames
            nameChanges = []
        default:
            mark = entry.value
        }
    }

    /// Returns the files in the folder after a power cut.
    func files(_ luck: Luck, using random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
        var names = names
        switch luck {
        case .nothing, .contents: break
        case .everything, .names: names = currentNames
        // File systems keep the order of name changes.
        case .some, .others:
            names = Self.apply(nameChanges.prefix(Int.random(in: 0...nameChanges.count, using: &random)), to: names)
        }
        return names.mapValues { place in
            let file = contents[place]
            switch luck {
            case .nothing, .names: return file.synced
            case .everything, .contents: return Self.apply(file.changes, to: file.synced)
            case .some, .others:
                return Self.apply(file.changes.compactMap { Self.part(of: $0, using: &random) }, to: file.synced)
            }
        }
    }

    private static func part(of change: Change, using random: inout some RandomNumberGenerator) -> Change? {
        guard case .write(let bytes, let offset) = change else { return Bool.random(using: &random) ? change : nil }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return nil
        case 1:
            return .write(Array(bytes.prefix(Int.random(in: 0...bytes.count / 512, using: &random) * 512)), at: offset)
        default: return change
        }
    }

    private var currentNames: [String: Int] { Self.apply(nameChanges[...], to: names) }

    private static func apply(_ changes: ArraySlice<NameChange>, to names: [String: Int]) -> [String: Int] {
        var names = names
        for change in changes {
            switch change {
            case .add(let name, let place): names[name] = place
            case .remove(let name): names[name] = nil
            }
        }
        return names
    }

    private static func apply(_ changes: [Change], to bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for change in changes {
            switch change {
            case .truncate(let size):
                bytes = Array(bytes.prefix(size)) + Array(repeating: 0, count: max(0, size - bytes.count))
            case .write(let new, let offset):
                let end = offset + new.count
                if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
                bytes.replaceSubrange(offset..<end, with: new)
            }
        }
        return bytes
    }
}

/// One way in which the power may be cut.
struct PowerCut: CustomStringConvertible {
    /// The number of SQLite operations before the cut.
    let place: Int
    let luck: RecordedDisk.Luck
    /// The last mark that the test had set before the cut.
    let mark: Int64
    let files: [String: [UInt8]]

    var description: String { "after \(place) operations, \(luck), \(mark) writes acknowledged" }

    /// Records what a body does in a folder, and cuts the power at every point.
    static func all(in folder: TemporaryFolder, seed: UInt64, _ body: () async throws -> Void) async throws
        -> [PowerCut]
    {
        guard store_log_install() == 0 else { throw CocoaError(.featureUnsupported) }
        var disk = try RecordedDisk(folder.path)
        store_log_record(folder.path)
        defer { store_log_record(nil) }
        try await body()
        var random = SeededGenerator(seed: seed)
        var cuts: [PowerCut] = []
        var seen: Set<[String: [UInt8]]> = []
        for place in 0...Int(store_log_count()) {
            if place > 0 {
                let mark = disk.mark
                disk.apply(store_log_entry(Int32(place - 1)))
                if disk.mark != mark { seen = [] }
            }
            for luck in RecordedDisk.Luck.allCases {
                let files = disk.files(luck, using: &random)
                guard seen.insert(files).inserted else { continue }
                cuts.append(PowerCut(place: place, luck: luck, mark: disk.mark, files: files))
            }
        }
        return cuts
    }

    /// Replaces the files of a folder with these.
    func restore(to folder: TemporaryFolder) throws {
        for name in try folder.contents() { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
        for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
    }
}
