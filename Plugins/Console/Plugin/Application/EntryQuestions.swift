#if Console
    import Bus
    import ConsolePages
    import Messaging
    import Monotonic

    /// An entry of the container as its page shows it.
    struct EntryDetails: Sendable {
        /// What the host says of it, without the value.
        let status: DependencyStatus
        /// The bytes of the value.
        let size: Int
        /// The value in words, of which a page shows the beginning.
        let text: String

        /// Reads what the host has said, beside the main actor: a value can have megabytes.
        @concurrent static func read(_ entry: DependencyStatus) async -> EntryDetails {
            var status = entry
            status.value = []
            return EntryDetails(
                status: status, size: entry.value.count,
                text: entry.shownValue(maximumLength: ThingPage.maximumText + 1))
        }
    }

    /// Asks the host for entries when somebody looks at them: for each at most once in a second, however many look.
    @MainActor
    final class EntryQuestions {
        private static let lifetime = Duration.seconds(1)
        private static let timeout = Duration.seconds(3)
        /// The number of answers that are kept.
        private static let maximum = 64

        private struct Question {
            let answer: Task<EntryDetails?, any Error>
            /// When the host may be asked again; `nil` until it has answered.
            var end: MonotonicInstant?
        }

        private let clock: ConsoleClock
        private let chain: @MainActor () -> ResponderChain
        private var questions: [String: Question] = [:]

        init(_ clock: ConsoleClock, over chain: @escaping @MainActor () -> ResponderChain) {
            self.clock = clock
            self.chain = chain
        }

        /// Returns an entry; `nil` if there is none.
        func entry(_ key: String) async throws -> EntryDetails? {
            forgetOld()
            if let question = questions[key] { return try await question.answer.value }
            let answer = Task {
                defer { questions[key]?.end = clock.now() + Self.lifetime }
                let entry = try await chain().within(Self.timeout).hostDependency(key: key)
                guard let entry else { return EntryDetails?.none }
                return await EntryDetails.read(entry)
            }
            questions[key] = Question(answer: answer)
            return try await answer.value
        }

        private func forgetOld() {
            let now = clock.now()
            questions = questions.filter { $0.value.end.map { $0 > now } ?? true }
            let answered = questions.compactMap { question in question.value.end.map { (question.key, $0) } }
            for (key, _) in answered.sorted(by: { $0.1 < $1.1 }).dropLast(Self.maximum - 1) { questions[key] = nil }
        }
    }
#endif
