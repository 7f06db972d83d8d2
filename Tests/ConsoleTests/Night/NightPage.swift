// A build without the trait has no console.
#if Console
    import ConsoleModel
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import Synchronization

    @testable import console_plugin

    /// A browser of the console, whose requests need no connection.
    @MainActor
    struct NightBrowser {
        static let port = 8080

        let console: Console
        var cookie: String?

        /// Logs a browser in.
        init(_ console: Console) async throws {
            self.console = console
            cookie = await get(Self.link(to: console))?.cookies.first
        }

        /// A browser that is not logged in, or is with a cookie that it has.
        init(_ console: Console, cookie: String?) { (self.console, self.cookie) = (console, cookie) }

        /// Logs a browser in as a user, whose password was checked.
        init(_ console: Console, as user: String) {
            let browser = ConsoleToken()
            console.logins.logIn(browser, as: user, at: console.now)
            self.init(console, cookie: "\(console.cookie.name)=\(browser.text)")
        }

        /// A new link to log in, without the console's own address.
        static func link(to console: Console) -> String {
            String((console.makeLink() ?? "").drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" })
        }

        /// The answer to a request; `nil` if a form is to be read, whose body does not come.
        /// - Parameter site: where the link was that the browser follows.
        func get(_ target: String, _ method: String = "GET", from site: String = "same-origin") async -> ConsoleAnswer?
        {
            let head = RequestHead(
                method: method, target: target, host: "127.0.0.1:\(Self.port)", fetchSite: site,
                fetchMode: "navigate", fetchDestination: "document", cookies: cookie.map { [$0] } ?? [])
            switch await console.admit(head) {
            case .answer(let answer): return answer
            case .form(let visit, _):
                _ = console.refuse(.lost, of: head, from: visit)
                return nil
            }
        }

        /// Posts a form, as the script of a page does.
        /// - Parameter fields: the names and values, which need no encoding.
        func post(
            _ target: String, _ fields: [String: String] = [:], accept: String = "application/json"
        ) async -> ConsoleAnswer {
            let head = RequestHead(
                method: "POST", target: target, host: "127.0.0.1:\(Self.port)", fetchSite: "same-origin",
                cookies: cookie.map { [$0] } ?? [], accept: accept, contentType: "application/x-www-form-urlencoded")
            switch await console.admit(head) {
            case .answer(let answer): return answer
            case .form(let visit, _):
                let form = fields.merging(["token": visit.browser.formToken]) { $1 }.map { "\($0)=\($1)" }
                return await console.take(Array(form.joined(separator: "&").utf8), of: head, from: visit)
            }
        }

        /// Opens the browser's own session.
        /// - Returns: its identifier.
        func open(_ configuration: String) async -> String? {
            await get("/open/\(configuration)")?.location.map { String($0.dropFirst("/scenes/".count)) }
        }
    }

    extension ConsoleAnswer {
        /// The names and values of the cookies that it gives.
        var cookies: [String] {
            headers.filter { $0.name == "Set-Cookie" }.map { String($0.value.prefix { $0 != ";" }) }
        }

        /// Where it leads.
        var location: String? { headers.first { $0.name == "Location" }?.value }

        /// The text of a page.
        var text: String {
            guard case .bytes(let bytes) = body else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A page that somebody sees: it has a stream.
    final class NightPage: Sendable {
        private struct State {
            var patches = 0
            var signs = 0
            var isOpen = true
            var end: String?
            var reading: Task<Void, Never>?
        }

        private struct Writer: ResponseBodyWriter {
            let page: NightPage

            mutating func write(_ buffer: ByteBuffer) async throws { page.take(String(buffer: buffer)) }
            consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
        }

        private let state = Mutex(State())

        /// How many changes have come.
        var patches: Int { state.withLock { $0.patches } }
        /// How many events have come that say that the stream is alive, or something new, which says the same.
        var signs: Int { state.withLock { $0.signs + $0.patches } }
        var isOpen: Bool { state.withLock { $0.isOpen } }
        /// The event that says why no more will come; `nil` for none.
        var end: String? { state.withLock { $0.end } }

        private func take(_ text: String) {
            state.withLock { state in
                if text.hasPrefix("event: alive") || text.hasPrefix("event: company") { state.signs += 1 }
                if text.hasPrefix("event: patch") { state.patches += 1 }
                if text.hasPrefix("event: end") { state.end = text }
            }
        }

        /// Reads a stream until it ends, or the page is closed.
        init(_ stream: SceneStream) {
            let reading = Task {
                var writer: any ResponseBodyWriter = Writer(page: self)
                try? await stream.run(cut: {}, to: &writer)
                state.withLock { $0.isOpen = false }
            }
            state.withLock { $0.reading = reading }
        }

        func close() { state.withLock { $0.reading }?.cancel() }
    }
#endif
