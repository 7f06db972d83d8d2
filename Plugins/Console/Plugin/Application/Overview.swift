#if Console
    import Bus
    import ConsolePages
    import Messaging
    import Monotonic
    import SceneContent

    /// What the pages of the application show. The host is asked when somebody looks, and at most once in a second.
    @MainActor
    final class Overview {
        private static let lifetime = Duration.seconds(1)
        private static let timeout = Duration.seconds(3)
        /// The number of sessions, and of entries, that are listed.
        private static let maximum = 10_000
        /// The number of pages of entries that are asked for: one has up to 256 KiB.
        private static let maximumEntryPages = 16
        /// The length of a value in a table.
        private static let valueLength = 100

        private let clock: ConsoleClock
        private let chain: @MainActor () -> ResponderChain
        private let questions: EntryQuestions
        private var state = ApplicationState()
        private var asked: MonotonicInstant?
        /// How long the host took to answer. Who asks a large application waits longer until the next time.
        private var cost = Duration.zero
        private var asking: Task<Void, Never>?
        /// Since when the host has not answered, in seconds since 1970; `nil` while it does.
        private var awaySince: Double?
        /// The values of entries as the last look has written them, by their keys, in one life of the host.
        private var values: [String: (revision: UInt64, text: String)] = [:]
        private var epoch: UInt64?

        init(_ clock: ConsoleClock, over chain: @escaping @MainActor () -> ResponderChain) {
            self.clock = clock
            self.chain = chain
            questions = EntryQuestions(clock, over: chain)
        }

        /// Returns the newest state; while the host is away, the last one, and since when.
        func current() async -> (state: ApplicationState, problem: String?) {
            let isFresh = asked.map { clock.now() - $0 < max(Self.lifetime, cost * 10) } ?? false
            if asking == nil, !isFresh { asking = Task { await ask() } }
            // Nobody waits for a host that is known to be away.
            if awaySince == nil { await asking?.value }
            return (state, problem)
        }

        /// Asks the host again when somebody looks next: something has been changed.
        func forget() { asked = nil }

        /// Why what is shown may be out of date.
        private var problem: String? {
            awaySince.map { "The host is away since \(Quantity.time($0).text). What you see is older." }
        }

        /// Returns an entry as it was within the last second; `nil` if there is none.
        func entry(_ key: String) async throws -> EntryDetails? { try await questions.entry(key) }

        private func ask() async {
            let start = clock.now()
            defer {
                asked = clock.now()
                cost = clock.now() - start
                asking = nil
            }
            do {
                let chain = chain().within(Self.timeout)
                let status = try await chain.hostStatus()
                state = ApplicationState(
                    status: status, sessions: try await sessions(chain), workers: try await chain.hostWorkers(),
                    plugins: try await chain.hostPlugins(), entries: try await entries(chain, in: status.epoch))
                awaySince = nil
            } catch {
                if awaySince == nil { awaySince = clock.time() }
            }
        }

        private func sessions(_ chain: ResponderChain) async throws -> [SessionStatus] {
            var sessions: [SessionStatus] = []
            var next: String?
            repeat {
                let list = try await chain.hostSessions(worker: nil, after: next, limit: nil)
                sessions += list.sessions
                next = list.next
            } while next != nil && sessions.count < Self.maximum
            return Array(sessions.prefix(Self.maximum))
        }

        private func entries(_ chain: ResponderChain, in epoch: UInt64) async throws -> ThingTable {
            if self.epoch != epoch { values = [:] }
            self.epoch = epoch
            // An entry that changes while the pages are read is listed again. The later one replaces it.
            var found: [String: DependencyStatus] = [:]
            var place: DependencyPlace?
            var pages = 0
            repeat {
                let page = try await chain.hostDependencies(after: place)
                for entry in page.entries { found[entry.key] = entry }
                place = page.next
                pages += 1
            } while place != nil && pages < Self.maximumEntryPages && found.count < Self.maximum
            let known = values
            values = [:]
            let entries = found.values.sortedNaturally(by: \.key).prefix(Self.maximum)
            let rows = entries.map { entry in
                let same = known[entry.key].flatMap { $0.revision == entry.revision ? $0.text : nil }
                let text = same ?? entry.shownValue(maximumLength: Self.valueLength)
                values[entry.key] = (entry.revision, text)
                return entry.row(value: text)
            }
            let remarks = [
                entries.contains { $0.ownerGoneSeconds != nil }
                    ? "A value whose owner is gone is the last one that it has set. Its page says what to do." : nil,
                place == nil ? nil : "There are more. 'scenebus deps ls' lists them all.",
            ]
            return .entries(
                rows, placeholder: "The container has no entries.",
                remark: remarks.contains { $0 != nil } ? remarks.compactMap { $0 }.joined(separator: " ") : nil)
        }
    }
#endif
