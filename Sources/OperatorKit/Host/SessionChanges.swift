import Messaging

/// The lists of a host's sessions, one after the other: see ``RemoteHost/sessionChanges(every:)``.
public struct SessionChanges: AsyncSequence, Sendable {
    let host: RemoteHost
    let interval: Duration

    public func makeAsyncIterator() -> Iterator { Iterator(host: host, interval: interval) }

    public struct Iterator: AsyncIteratorProtocol {
        private let host: RemoteHost
        private let interval: Duration
        private var last: [RemoteSession]?
        private var isFirst = true

        init(host: RemoteHost, interval: Duration) {
            self.host = host
            self.interval = interval
        }

        /// Waits until the list differs from the last one.
        /// - Throws: ``ExitCoded`` when the host refuses the link for good; ``MessageError`` with `peerLost` after
        ///   ``RemoteHost/close()``; ``RemoteError``; `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> [RemoteSession]? {
            while true {
                if !isFirst { try await Task.sleep(for: interval) }
                isFirst = false
                guard let sessions = try await host.sessionsUnlessAway(), sessions != last else { continue }
                last = sessions
                return sessions
            }
        }
    }
}

extension RemoteHost {
    /// The open sessions, as a list that comes again when it differs from the last one. While the host is away, the
    /// sequence waits for it.
    /// - Parameter interval: the time between two requests to the host, at least 10 ms. What opens and closes in between
    ///   is not seen.
    public func sessionChanges(every interval: Duration = .seconds(1)) -> SessionChanges {
        SessionChanges(host: self, interval: max(interval, .milliseconds(10)))
    }

    /// Returns the open sessions; `nil` while the host is away or overloaded.
    fileprivate func sessionsUnlessAway() async throws -> [RemoteSession]? {
        do {
            return try await sessions()
        } catch let error as MessageError where error.isOfAwayHost {
            if let refusal = client.refusal { throw refusal }
            if client.isClosed { throw error }
            return nil
        }
    }
}
