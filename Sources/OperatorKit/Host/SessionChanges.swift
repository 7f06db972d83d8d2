/// The lists of a host's sessions, one after the other: see ``RemoteHost/sessionChanges(every:)``.
public struct SessionChanges: AsyncSequence, Sendable {
    let host: RemoteHost
    let interval: Duration

    public func makeAsyncIterator() -> Iterator { Iterator(host: host, interval: interval) }

    public struct Iterator: AsyncIteratorProtocol {
        let host: RemoteHost
        let interval: Duration
        private var last: [RemoteSession]?

        init(host: RemoteHost, interval: Duration) {
            self.host = host
            self.interval = interval
        }

        /// Waits until the list differs from the last one.
        /// - Throws: the errors of ``RemoteHost/sessions(of:)``; `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> [RemoteSession]? {
            while true {
                if last != nil { try await Task.sleep(for: interval) }
                let sessions = try await host.sessions()
                guard sessions != last else { continue }
                last = sessions
                return sessions
            }
        }
    }
}
