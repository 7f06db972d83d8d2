#if Console
    import ConsoleModel
    import Hummingbird
    import HummingbirdCore
    import NIOCore

    /// The stream of a scene's changes to one page.
    final class SceneStream: Sendable {
        /// How long a browser waits before it connects again, in milliseconds.
        private static let first = ByteBuffer(string: "retry: 500\n\n")

        private let channel: SceneChannel
        private let view: SceneView
        private let known: String?
        private let number: UInt64
        private let signals: AsyncStream<Void>
        private let onEnd: @Sendable () -> Void

        /// - Parameters:
        ///   - view: where the page shows the scene, and to whom.
        ///   - known: the revision of the picture that the page shows; `nil` for none.
        ///   - onEnd: gives back what the stream has taken.
        init(
            _ channel: SceneChannel, for owner: TokenDigest, in view: SceneView, after known: String?,
            onEnd: @escaping @Sendable () -> Void
        ) {
            self.channel = channel
            self.view = view
            self.known = known
            self.onEnd = onEnd
            (number, signals) = channel.open(for: owner)
        }

        // A browser may go before anything is written, and then nothing calls ``run(cut:to:)``.
        deinit {
            channel.close(number)
            onEnd()
        }

        /// Writes events until the stream is closed, or the scene has ended.
        /// - Parameter cut: closes the connection, if the page does not read.
        @concurrent func run(
            cut: @escaping @Sendable () -> Void, to writer: inout any ResponseBodyWriter
        ) async throws {
            var position = channel.begin(number, of: view, after: known, cut: cut)
            try await writer.write(Self.first)
            for await _ in signals {
                reading: while true {
                    switch await channel.next(number, after: &position) {
                    case .event(let event): try await writer.write(event)
                    case .last(let event): return try await writer.write(event)
                    case .nothing: break reading
                    }
                }
            }
        }

        func close() { channel.close(number) }
    }
#endif
