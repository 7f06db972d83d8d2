import Foundation
import Glibc

/// Why a session is suspected of crashing its workers: workers crashed while its scene was in their hands.
///
/// A scene is in its worker's hands while the worker makes, resumes or freezes it, and while it is asked for something.
/// Other scenes may have been, too, so one crash proves nothing. After ``crashesUntilHeld`` the session is held: it is
/// given to no worker until an operator says so. If other scenes were in the worker's hands at the last of these, one
/// more is needed.
package struct Suspicion: Codable, Hashable, Sendable {
    /// What is known of a worker's crash.
    struct Crash: Codable, Hashable, Sendable {
        let worker: String
        /// In seconds since 1970.
        let time: Int64
        /// The last words of its process, if this host has started it.
        let words: String?
    }

    /// The number of crashes after which a session is held.
    static let crashesUntilHeld = 2
    /// The maximum length of a moment's name in bytes. It may contain the name of an action.
    static let maximumMoment = 256
    /// The maximum length of last words, in Unicode scalars.
    static let maximumWords = 200
    /// The number of crashes that are described.
    private static let maximumDescribed = 4

    /// The number of crashes.
    private(set) var crashes = 0
    /// What the scene was asked for when its workers crashed, and has not done since; see ``SessionTable/Moment``.
    private(set) var moments: Set<String> = []
    /// One of the moments of the last crash.
    private(set) var last = ""
    /// The last crashes, in their order. Suspicions that earlier versions have stored have none.
    private(set) var known: [Crash]?
    /// Whether other scenes were in the worker's hands, too, at the last crash. Suspicions that earlier versions have
    /// stored do not say.
    private(set) var isShared: Bool?

    var isHeld: Bool { crashes >= Self.crashesUntilHeld + (isShared == true ? 1 : 0) }

    /// Adds a crash.
    /// - Parameter isShared: whether other scenes were in the worker's hands, too.
    mutating func add(_ moments: Set<String>, _ crash: Crash? = nil, isShared: Bool = false) {
        let names = moments.map { String(decoding: $0.utf8.prefix(Self.maximumMoment), as: UTF8.self) }
        crashes += 1
        self.isShared = isShared
        last = names.min() ?? last
        self.moments.formUnion(names)
        if let crash { known = Array(((known ?? []) + [crash]).suffix(Self.maximumDescribed)) }
    }

    /// Notes that the scene has done without a crash what a worker had crashed with.
    /// - Returns: whether nothing is left that the session is suspected for.
    mutating func disprove(_ moment: String) -> Bool {
        moments.remove(String(decoding: moment.utf8.prefix(Self.maximumMoment), as: UTF8.self))
        return moments.isEmpty
    }

    /// Takes back a crash of a worker that has turned out to be alive.
    /// - Parameter worker: its name.
    /// - Returns: whether no crash is left.
    mutating func withdraw(of worker: String) -> Bool {
        crashes -= 1
        // It may have been the one that showed which scene it was.
        isShared = true
        if let index = known?.lastIndex(where: { $0.worker == worker }) { known?.remove(at: index) }
        return crashes <= 0
    }

    /// Describes the crashes of a held session, and what an operator can do.
    /// - Parameters:
    ///   - session: the session's identifier.
    ///   - quotes: whether to quote what the last worker has printed, which not everybody may read.
    func problem(of session: String, quotes: Bool = true) -> String {
        """
        crashed \(crashes) workers\(culprits(quotes: quotes)), the last one while \(SessionTable.Moment.words(last)): \
        'scenebus sessions retry \(session)' gives it to a worker again, \
        'scenebus sessions reset \(session)' also drops its stored state
        """
    }

    /// The workers, with the times of their crashes and the last words of the last one.
    private func culprits(quotes: Bool) -> String {
        guard let known, !known.isEmpty else { return "" }
        let list = known.map { "\($0.worker) at \(Self.words(for: $0.time))" }.joined(separator: ", ")
        let words = quotes ? known.last?.words : nil
        return " (\(list)\(words.map { ": \($0)" } ?? ""))"
    }

    /// The local date and time, as in `2026-07-28 04:41:17`. A held session may be found days later.
    private static func words(for seconds: Int64) -> String {
        var (time, parts) = (time_t(seconds), tm())
        guard localtime_r(&time, &parts) != nil else { return "\(seconds)" }
        return String(
            format: "%04d-%02d-%02d %02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec)
    }
}

extension Suspicion {
    /// The stored form.
    var encoded: String? { try? String(decoding: JSONEncoder().encode(self), as: UTF8.self) }

    /// - Returns: `nil` for a text that is not a suspicion: a session is not set aside because of that.
    init?(encoded text: String) {
        guard let suspicion = try? JSONDecoder().decode(Suspicion.self, from: Data(text.utf8)), suspicion.crashes > 0
        else { return nil }
        self = suspicion
    }
}
