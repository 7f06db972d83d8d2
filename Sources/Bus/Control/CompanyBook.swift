package import Monotonic

/// Who watches one scene, and what each of them is told of the others.
///
/// It is settled now and then: a thousand who come in the same moment are one change, and the more there are, the more seldom is
/// a change told. One who goes is there for a while: it may ask again, or load its page again.
package struct CompanyBook<ID: Hashable & Sendable>: Sendable {
    /// The least time between two changes of what is told, of few watchers.
    package static var pause: Duration { .seconds(1) }
    /// With how many it is twice as long, and so on.
    private static var many: Int { 100 }

    private struct Entry {
        var watchers: SceneWatchers
        /// Those who came first are named first.
        let order: Int
        /// How often it is here now.
        var uses = 1
        /// When it is gone, if it is not here.
        var end: MonotonicInstant?
    }

    /// How many are known. Further ones watch without being told of.
    private let maximum: Int
    private var entries: [ID: Entry] = [:]
    private var lastOrder = 0
    private var isStale = false
    private var settledAt: MonotonicInstant?
    /// When the next one may be gone.
    private var checkAt: MonotonicInstant?
    /// What is told: those who are named, the number of all, and how many each of them is.
    private var named: [(id: ID, watcher: SceneWatcher)] = []
    private var total = 0
    private var counts: [ID: Int] = [:]
    /// Tells what is told from what was told before, also by an earlier process.
    package private(set) var number = UInt64.random(in: 1...1 << 52)

    package init(maximum: Int) { self.maximum = maximum }

    // MARK: - Coming and going

    /// Notes that one watches, as often as it goes.
    /// - Parameter watchers: as what others see it, which may be several people before one console.
    package mutating func come(_ id: ID, as watchers: SceneWatchers) {
        let watchers = watchers.bounded
        guard let entry = entries[id] else {
            guard entries.count < maximum else { return }
            lastOrder += 1
            entries[id] = Entry(watchers: watchers, order: lastOrder)
            isStale = isStale || watchers.count > 0
            return
        }
        entries[id]?.uses += 1
        guard entry.watchers != watchers else { return }
        entries[id]?.watchers = watchers
        isStale = true
    }

    /// Notes that one does not watch any more, or not for the moment.
    /// - Parameter rest: for how long others are still told of it, unless it comes again.
    package mutating func go(_ id: ID, at now: MonotonicInstant, rest: Duration) {
        guard let entry = entries[id] else { return }
        let end = now + rest
        entries[id]?.uses = max(0, entry.uses - 1)
        entries[id]?.end = end
        if entry.uses <= 1 { checkAt = min(checkAt ?? end, end) }
    }

    /// Takes out who is gone, and settles what is told.
    /// - Returns: whether that has changed, and when to look again; `nil` for not before one comes or goes.
    package mutating func settle(at now: MonotonicInstant) -> (isNews: Bool, next: MonotonicInstant?) {
        if let due = checkAt, due <= now { removeGone(at: now) }
        guard isStale else { return (false, checkAt) }
        let pause = Self.pause * max(1, entries.count / Self.many)
        if let next = settledAt.map({ $0 + pause }), next > now {
            return (false, min(checkAt ?? next, next))
        }
        let everyone = entries.sorted { $0.value.order < $1.value.order }
        named = everyone.flatMap { id, entry in entry.watchers.named.map { (id, $0) } }
        counts = entries.mapValues(\.watchers.count)
        total = counts.values.reduce(0, +)
        number += 1
        (isStale, settledAt) = (false, now)
        return (true, checkAt)
    }

    private mutating func removeGone(at now: MonotonicInstant) {
        checkAt = nil
        for (id, entry) in entries where entry.uses == 0 {
            guard let end = entry.end, end > now else {
                entries[id] = nil
                isStale = isStale || entry.watchers.count > 0
                continue
            }
            checkAt = min(checkAt ?? end, end)
        }
    }

    // MARK: - What is told

    /// All who watch.
    package var everyone: SceneWatchers { list(named.lazy.map(\.watcher), of: total) }

    /// Those who watch beside one.
    package func others(than id: ID) -> SceneWatchers {
        list(named.lazy.filter { $0.id != id }.map(\.watcher), of: total - counts[id, default: 0])
    }

    private func list(_ watchers: some Sequence<SceneWatcher>, of count: Int) -> SceneWatchers {
        let first = Array(watchers.prefix(SceneWatchers.maximumNamed))
        return SceneWatchers(first, more: count - first.count)
    }

    /// What there is to tell one.
    /// - Parameter known: the number of what it was told last; `nil` for nothing.
    /// - Returns: `nil` if it knows that, or if there is nobody else and never was.
    package func company(of id: ID, known: UInt64?) -> SceneCompany? {
        hasNews(for: id, known: known) ? SceneCompany(number: number, watchers: others(than: id)) : nil
    }

    /// Whether there is something to tell one.
    package func hasNews(for id: ID, known: UInt64?) -> Bool {
        known != number && (known != nil || total > counts[id, default: 0])
    }
}
