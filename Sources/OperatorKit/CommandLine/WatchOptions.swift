package import ArgumentParser
import PeerLink

/// The options of every command that prints a table.
package struct WatchOptions: ParsableArguments, Sendable {
    @Flag(
        help: ArgumentHelp(
            "Show the table again when it has changed, until Ctrl-C.",
            discussion: """
                On a terminal it is drawn in place. Without one, and if TERM is 'dumb', each row is a line that begins with \
                '+' if it is new, as all rows are at first, with '~' if it has changed, and with '-' if it is gone; a \
                row that only shows more time has not changed. With --json, each change is a line with all of the JSON. \
                While the host is away, the command waits for it.
                """))
    package var watch = false

    @Option(
        help: ArgumentHelp(
            "Seconds between two looks with --watch, from 0.1 to 3600 (default: 1).", valueName: "seconds"))
    package var interval: Double?

    package init() {}

    package func validate() throws {
        guard let interval else { return }
        guard watch else { throw ValidationError("--interval is the time between two looks with --watch") }
        guard (0.1...3600).contains(interval) else {
            throw ValidationError("--interval must be from 0.1 to 3600 seconds, not \(interval)")
        }
    }

    /// Attaches to the host, and shows a listing once, or whenever it has changed.
    /// - Parameter read: asks the host for the listing.
    @MainActor
    package func show(
        of client: ClientOptions, _ read: @escaping @MainActor @Sendable (HostClient) async throws -> TableListing
    ) async throws {
        try await client.withHost { host in
            try await show(from: host, asJSON: client.json) { try await read(host) }
        }
    }

    /// Shows a listing once, or whenever it has changed.
    /// - Parameters:
    ///   - host: the host from which the listing comes; `nil` if it needs none.
    ///   - read: makes the listing.
    @MainActor
    package func show(
        from host: HostClient?, asJSON isJSON: Bool,
        _ read: @escaping @MainActor @Sendable () async throws -> TableListing
    ) async throws {
        let first = try await read()
        guard watch else { return first.print(asJSON: isJSON) }
        let watch = TableWatch(first, of: host, every: .seconds(interval ?? 1), read)
        guard !isJSON, FullScreenTerminal.isDrawable else { return try await watch.printChanges(asJSON: isJSON) }
        try await TableSurface(watch, first).run()
    }
}
