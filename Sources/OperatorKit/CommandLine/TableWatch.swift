import Messaging
import PeerLink

/// Looks at a listing again and again, and waits for the host while that is away.
@MainActor
final class TableWatch {
    /// What a look has found.
    enum Look {
        case listing(TableListing)
        /// The host is attached, but has not answered.
        case unanswered(String)
    }

    /// The host that is asked; `nil` if the listing needs none.
    let host: HostClient?
    /// Called when the link to the host was lost, and when it is attached again.
    var onLinkChange: @MainActor () -> Void = {}
    private let first: TableListing
    private let interval: Duration
    private let read: @MainActor @Sendable () async throws -> TableListing
    private let attachments: AsyncStream<Void>

    /// - Parameters:
    ///   - first: the listing that was read last.
    ///   - interval: the least time between two looks.
    init(
        _ first: TableListing, of host: HostClient?, every interval: Duration,
        _ read: @escaping @MainActor @Sendable () async throws -> TableListing
    ) {
        (self.first, self.host, self.interval, self.read) = (first, host, interval, read)
        let (attachments, attachment) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.attachments = attachments
        host?.onLost = { [weak self] in self?.onLinkChange() }
        host?.onReadyAgain = { [weak self] in
            attachment.yield()
            self?.onLinkChange()
        }
    }

    /// Passes on each look, until the task is cancelled.
    /// - Throws: the error of a look, unless it passes when the host is back.
    func lookAgain(_ show: @MainActor (Look) -> Void) async throws {
        var attachments = self.attachments.makeAsyncIterator()
        while true {
            try await Task.sleep(for: interval)
            while let host, !host.isAttached {
                await attachments.next(isolation: MainActor.shared)
                try Task.checkCancellation()
            }
            do {
                show(.listing(try await read()))
            } catch let error as MessageError where host != nil && error.isOfAwayHost {
                if let refusal = host?.refusal { throw refusal }
                // A host that ends is about to detach, which is reported by itself.
                if host?.isAttached == true, error.code == .timeout || error.code == .overloaded {
                    show(.unanswered(error.description))
                }
            }
        }
    }

    /// Prints the listing, and then a line for each change, until Ctrl-C.
    func printChanges(asJSON isJSON: Bool) async throws {
        let printing: @MainActor @Sendable () async throws -> Void = {
            var changes = TableChanges()
            Self.print(self.first, &changes, asJSON: isJSON)
            var isAnswered = true
            try await self.lookAgain { look in
                switch look {
                case .listing(let listing):
                    isAnswered = true
                    Self.print(listing, &changes, asJSON: isJSON)
                case .unanswered(let reason):
                    if isAnswered { TableListing.say("\(reason); trying again") }
                    isAnswered = false
                }
            }
        }
        guard let host else {
            try await untilInterrupted(printing)
            return
        }
        try await host.goOnUntilInterrupted(printing)
    }

    private static func print(_ listing: TableListing, _ changes: inout TableChanges, asJSON isJSON: Bool) {
        if isJSON {
            if let json = changes.json(for: listing) { printJSON(json) }
        } else {
            for line in changes.lines(for: listing) { StandardOutput.write(line) }
            for warning in changes.newWarnings(of: listing) { TableListing.say(warning) }
        }
        flushOutput()
    }
}
