import Foundation

/// Why a session is suspected of crashing its workers: workers crashed while its scene was in their hands.
///
/// A scene is in its worker's hands while the worker makes, resumes or freezes it, and while it is asked for something.
/// Other scenes may have been, too, so one crash proves nothing. After ``crashesUntilHeld`` the session is held: it is
/// given to no worker until an operator says so.
package struct Suspicion: Codable, Hashable, Sendable {
    /// The number of crashes after which a session is held.
    static let crashesUntilHeld = 2
    /// The maximum length of a moment's name in bytes. It may contain the name of an action.
    static let maximumMoment = 256

    /// The number of crashes.
    private(set) var crashes = 0
    /// What the scene was asked for when its workers crashed, and has not done since; see ``SessionTable/Moment``.
    private(set) var moments: Set<String> = []
    /// One of the moments of the last crash.
    private(set) var last = ""

    var isHeld: Bool { crashes >= Self.crashesUntilHeld }

    /// Adds a crash.
    mutating func add(_ moments: Set<String>) {
        let names = moments.map { String(decoding: $0.utf8.prefix(Self.maximumMoment), as: UTF8.self) }
        crashes += 1
        last = names.min() ?? last
        self.moments.formUnion(names)
    }

    /// Notes that the scene has done without a crash what a worker had crashed with.
    /// - Returns: whether nothing is left that the session is suspected for.
    mutating func disprove(_ moment: String) -> Bool {
        moments.remove(String(decoding: moment.utf8.prefix(Self.maximumMoment), as: UTF8.self))
        return moments.isEmpty
    }

    /// Takes back a crash of a worker that has turned out to be alive.
    /// - Returns: whether no crash is left.
    mutating func withdraw() -> Bool {
        crashes -= 1
        return crashes <= 0
    }

    /// Describes the crashes of a held session, and what an operator can do.
    /// - Parameter session: the session's identifier.
    func problem(of session: String) -> String {
        """
        crashed \(crashes) workers, the last one while \(SessionTable.Moment.words(last)): \
        'scenebus sessions retry \(session)' gives it to a worker again, \
        'scenebus sessions reset \(session)' also drops its stored state
        """
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
