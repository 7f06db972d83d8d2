#if Console
    import Hummingbird
    import Logging
    import NIOCore
    import Synchronization

    /// A page with a button and a figure, and nothing behind it but a web server: what the console is compared with.
    ///
    /// The button posts, and the changed figure comes as a server-sent event.
    final class BarePage: Sendable {
        private struct State {
            var figure = 0
            var lastReader = 0
            var readers: [Int: AsyncStream<Int>.Continuation] = [:]
        }

        private static let html = """
            <!doctype html><html lang=en><meta charset=utf-8><title>Bare</title>
            <p id=figure></p><button id=change>Change</button>
            <script>
            const figure = document.getElementById("figure");
            const button = document.getElementById("change");
            new EventSource("/events").onmessage = (event) => { figure.textContent = event.data; };
            button.addEventListener("click", async () => {
              button.setAttribute("aria-busy", "true");
              await (await fetch("/change", { method: "POST" })).json();
              button.removeAttribute("aria-busy");
            });
            </script>
            """

        private let state = Mutex(State())

        /// Serves the page for the duration of a body, which gets its address.
        static func run(_ body: (_ address: String) async throws -> Void) async throws {
            let page = BarePage()
            var logger = Logger(label: "console-bench")
            // Its errors are that connections are closed in the end.
            logger.logLevel = .critical
            let (ports, port) = AsyncThrowingStream<Int, any Error>.makeStream()
            let application = Application(
                router: page.router(),
                configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: logger)
            let running = Task {
                do { try await application.run() } catch { port.finish(throwing: error) }
            }
            defer { running.cancel() }
            for try await port in ports { return try await body("http://127.0.0.1:\(port)/") }
        }

        private func router() -> Router<BasicRequestContext> {
            let router = Router()
            router.get("/") { _, _ in
                Response(
                    // A page that a browser may show again keeps its stream, of which a browser has six at most.
                    status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: Self.html)))
            }
            router.post("/change") { _, _ in
                self.change()
                return Response(
                    status: .ok, headers: [.contentType: "application/json"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"accepted":true}"#)))
            }
            router.get("/events") { _, _ in
                let (reader, figures) = self.open()
                return Response(
                    status: .ok, headers: [.contentType: "text/event-stream"],
                    body: ResponseBody { writer in
                        defer { self.close(reader) }
                        for await figure in figures {
                            try await writer.write(ByteBuffer(string: "data: \(figure)\n\n"))
                        }
                        try await writer.finish(nil)
                    })
            }
            return router
        }

        private func change() {
            state.withLock { state in
                state.figure += 1
                for reader in state.readers.values { reader.yield(state.figure) }
            }
        }

        private func open() -> (reader: Int, figures: AsyncStream<Int>) {
            let (figures, continuation) = AsyncStream<Int>.makeStream()
            return state.withLock { state in
                state.lastReader += 1
                state.readers[state.lastReader] = continuation
                continuation.yield(state.figure)
                return (state.lastReader, figures)
            }
        }

        private func close(_ reader: Int) { state.withLock { _ = $0.readers.removeValue(forKey: reader) } }
    }
#endif
