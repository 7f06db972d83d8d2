#if Console
    import ConsoleModel
    import ConsolePages
    import NIOCore

    /// What a request is answered.
    struct ConsoleAnswer: Sendable {
        enum Body: Sendable {
            case bytes([UInt8])
            /// Bytes that other answers have, too.
            case shared(ByteBuffer)
            case stream(SceneStream)
        }

        var status: Int
        var contentType: String
        var body: Body
        /// Headers beside those that all answers have.
        var headers: [(name: String, value: String)] = []
        var policy = PageAssets.policy
        var keeping = ResponseHeaders.Keeping.nobody
        /// What the answer keeps from others until it is written; `nil` for nothing.
        var place: AnswerPlace?
        /// Whether the browser tells nobody the address of the answer.
        var hidesAddress = false

        private init(_ status: Int, _ contentType: String, _ body: Body) {
            (self.status, self.contentType, self.body) = (status, contentType, body)
        }

        static func page(_ html: String, status: Int = 200) -> ConsoleAnswer {
            ConsoleAnswer(status, "text/html; charset=utf-8", .bytes(Array(html.utf8)))
        }

        /// An answer that is made beside the main actor, so that nobody else waits for a large page.
        @concurrent static func drawn(_ answer: @escaping @Sendable () -> ConsoleAnswer) async -> ConsoleAnswer {
            answer()
        }

        static func json(_ answer: ActionAnswer, status: Int) -> ConsoleAnswer {
            ConsoleAnswer(status, "application/json", .bytes(Array(answer.json.utf8)))
        }

        static func file(_ file: PageAssets.File, isKept: Bool) -> ConsoleAnswer {
            var answer = ConsoleAnswer(200, file.contentType, .bytes(file.bytes))
            if isKept { answer.keeping = .everybody }
            return answer
        }

        static func image(_ bytes: ByteBuffer, _ mediaType: String) -> ConsoleAnswer {
            var answer = ConsoleAnswer(200, mediaType, .shared(bytes))
            answer.policy = ResponseHeaders.imagePolicy
            answer.keeping = .reader
            return answer
        }

        static func stream(_ stream: SceneStream) -> ConsoleAnswer {
            var answer = ConsoleAnswer(200, "text/event-stream", .stream(stream))
            // A proxy must not collect the events.
            answer.headers = [("X-Accel-Buffering", "no")]
            return answer
        }

        static func redirect(to path: String) -> ConsoleAnswer {
            var answer = ConsoleAnswer(303, "text/plain", .bytes([]))
            answer.headers = [("Location", path)]
            return answer
        }

        static let empty = ConsoleAnswer(204, "text/plain", .bytes([]))

        /// A page that at once loads another one, or itself, as a page of this site. A browser leaves out the cookie while it
        /// follows a link of another site.
        static func reload(_ path: String? = nil) -> ConsoleAnswer {
            let target = path.map { ";url=\($0)" } ?? ""
            return .page(
                "<!doctype html><html lang=en><meta charset=utf-8><title>Console</title>"
                    + "<meta http-equiv=refresh content=\"0\(target)\">")
        }

        /// Takes a cookie away from a browser that has sent it.
        func forgetting(_ cookie: ConsoleCookie, of head: RequestHead) -> ConsoleAnswer {
            head.values(ofCookie: cookie.name).isEmpty ? self : with("Set-Cookie", cookie.taking)
        }

        /// Adds a header.
        func with(_ name: String, _ value: String) -> ConsoleAnswer {
            var answer = self
            answer.headers.append((name, value))
            return answer
        }
    }
#endif
