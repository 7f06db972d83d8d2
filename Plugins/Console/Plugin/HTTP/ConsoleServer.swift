#if Console
    import ConsoleModel
    import ConsolePages
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import Logging
    import NIOCore

    /// The web server: it reads requests within their limits, has the console answer them, and writes the answers.
    struct ConsoleServer: Sendable {
        /// How long a connection may be without a request, or a request without its end.
        private static let idleTime = Duration.seconds(30)
        /// How long a body may take to arrive.
        private static let bodyTime = Duration.seconds(15)
        /// How long an answer may take to be written that keeps a place from others.
        private static let writingTime = Duration.seconds(60)

        let console: Console
        let logger: Logger
        let limits: ConnectionLimits
        /// The certificate with which it speaks TLS; `nil` for none.
        let certificate: LiveCertificate?

        /// What a request knows of its connection.
        struct Context: InitializableFromSource, Sendable {
            let channel: any Channel

            init(source: ApplicationRequestContextSource) { channel = source.channel }
        }

        /// Runs until the task is cancelled.
        /// - Parameter onListening: called with the port.
        func run(on host: String, port: Int, onListening: @escaping @Sendable (Int) async -> Void) async throws {
            let http = HTTP1Channel.Configuration(
                additionalChannelHandlers: [limits.handler()], idleTimeout: TimeAmount(Self.idleTime),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
            var log = logger
            // Its errors are those of its clients.
            log.logLevel = max(logger.logLevel, .error)
            let application = Application(
                responder: CallbackResponder<Context> { await respond(to: $0, in: $1) },
                server: certificate.map { .secure($0, configuration: http) } ?? .http1(configuration: http),
                configuration: ApplicationConfiguration(
                    address: .hostname(host, port: port), backlog: 1024,
                    availableConnectionsDelegate: MaximumAvailableConnections(limits.total, logger: log)),
                onServerRunning: { await onListening($0.localAddress?.port ?? port) }, logger: log)
            try await application.run()
        }

        private func respond(to request: Request, in context: Context) async -> Response {
            let head = RequestHead(request.head, from: limits.machine(of: context.channel.remoteAddress))
            switch await console.admit(head) {
            case .answer(let answer):
                // The rest of a refused form is not worth reading.
                return response(answer, to: request, in: context, closes: request.method == .post)
            case .form(let visit, let limit):
                switch await read(request.body, limit: limit, in: context) {
                case .success(let form):
                    return response(await console.take(form, of: head, from: visit), to: request, in: context)
                case .failure(let problem):
                    let answer = await console.refuse(problem, of: head, from: visit)
                    return response(answer, to: request, in: context, closes: true)
                }
            }
        }

        // MARK: - Reading

        private func read(_ body: RequestBody, limit: Int, in context: Context) async -> Result<[UInt8], BodyProblem> {
            // A body that comes byte by byte would never be idle.
            let deadline = context.channel.eventLoop.scheduleTask(in: TimeAmount(Self.bodyTime)) {
                context.channel.close(mode: .all, promise: nil)
            }
            defer { deadline.cancel() }
            var bytes: [UInt8] = []
            do {
                for try await part in body {
                    guard bytes.count + part.readableBytes <= limit else { return .failure(.tooLarge) }
                    bytes += part.readableBytesView
                }
            } catch {
                return .failure(.lost)
            }
            return .success(bytes)
        }

        // MARK: - Writing

        private func response(
            _ answer: ConsoleAnswer, to request: Request, in context: Context, closes: Bool = false
        ) -> Response {
            var headers = HTTPFields()
            let common = ResponseHeaders.all(
                policy: answer.policy, keeping: answer.keeping, hidesAddress: answer.hidesAddress)
            for (name, value) in common + answer.headers + [("Content-Type", answer.contentType)] {
                if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
            }
            let status = HTTPResponse.Status(code: answer.status)
            func response(_ bytes: ByteBuffer) -> Response {
                self.response(
                    bytes, status, headers, in: answer.place, to: request, in: context, closes: closes)
            }
            switch answer.body {
            case .bytes(let bytes): return response(ByteBuffer(bytes: bytes))
            case .shared(let bytes): return response(bytes)
            case .stream where request.method == .head: return Response(status: status, headers: headers)
            case .stream(let stream):
                return Response(
                    status: status, headers: headers,
                    body: ResponseBody { writer in
                        await write(stream, of: request, in: context, to: &writer)
                        try await writer.finish(nil)
                    })
            }
        }

        private func response(
            _ bytes: ByteBuffer, _ status: HTTPResponse.Status, _ headers: HTTPFields, in place: AnswerPlace?,
            to request: Request, in context: Context, closes: Bool
        ) -> Response {
            var headers = headers
            if closes { headers[.connection] = "close" }
            headers[.contentLength] = status.code == 204 ? nil : String(bytes.readableBytes)
            let isShown = request.method != .head && status.code != 204
            let buffer = isShown ? bytes : ByteBuffer()
            guard closes || (place != nil && isShown) else {
                return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: buffer))
            }
            return Response(
                status: status, headers: headers,
                body: ResponseBody(contentLength: bytes.readableBytes) { writer in
                    // Who reads it byte by byte does not keep the place for ever.
                    let deadline = context.channel.eventLoop.scheduleTask(in: TimeAmount(Self.writingTime)) {
                        context.channel.close(mode: .all, promise: nil)
                    }
                    defer { deadline.cancel() }
                    try await writer.write(buffer)
                    try await writer.finish(nil)
                    withExtendedLifetime(place) {}
                    if closes { context.channel.close(mode: .all, promise: nil) }
                })
        }

        @concurrent private func write(
            _ stream: SceneStream, of request: Request, in context: Context, to writer: inout any ResponseBodyWriter
        ) async {
            do {
                try await request.body.consumeWithInboundCloseHandler { _ in
                    try await stream.run(cut: { context.channel.close(mode: .all, promise: nil) }, to: &writer)
                } onInboundClosed: {
                    stream.close()
                }
            } catch {
                // The browser has gone.
            }
        }
    }

    /// Why the body of a request was not read.
    enum BodyProblem: Error {
        case tooLarge
        /// The client has gone, or was too slow.
        case lost
    }

    extension RequestHead {
        fileprivate init(_ head: HTTPRequest, from machine: ClientAddress?) {
            let fields = head.headerFields
            func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
            self.init(
                method: head.method.rawValue, target: head.path ?? "", host: head.authority ?? field("Host"),
                origin: field("Origin"), fetchSite: field("Sec-Fetch-Site"), fetchMode: field("Sec-Fetch-Mode"),
                fetchDestination: field("Sec-Fetch-Dest"), cookies: fields[values: .cookie],
                accept: field("Accept") ?? "", contentType: field("Content-Type") ?? "", machine: machine)
        }
    }
#endif
