#if Console
    import Foundation
    import LabBrowser
    import LabClock
    import NIOCore
    import NIOPosix

    /// The streams of many pages that show the scene and that nobody touches.
    @MainActor
    struct IdlePages {
        /// The number of streams that a browser may have.
        private static let each = 32

        /// By how much the console's memory has grown for each page, in bytes.
        let memory: Double
        private let channels: [any Channel]
        private let arrivals: Arrivals

        /// Opens the streams of pages, as so many browsers as they need.
        static func open(_ count: Int, on stage: BenchStage) async throws -> IdlePages {
            var browsers: [LoggedIn] = []
            while browsers.count * each < count { browsers.append(try await LoggedIn(on: stage)) }
            let arrivals = Arrivals()
            let before = ProcessResources.residentMemory(of: stage.console)
            arrivals.expect(count)
            var channels: [any Channel] = []
            for browser in browsers {
                // As many at a time as a browser opens.
                let requests = (0..<min(each, count - channels.count)).map { _ in open(browser, arrivals) }
                for request in requests { channels.append(try await request.get()) }
            }
            _ = try await arrivals.all()
            let memory = ProcessResources.residentMemory(of: stage.console) - before
            return IdlePages(memory: Double(memory) / Double(count), channels: channels, arrivals: arrivals)
        }

        private static func open(_ browser: LoggedIn, _ arrivals: Arrivals) -> EventLoopFuture<any Channel> {
            ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(PageStream(arrivals))
                    }
                }
                .connect(host: "127.0.0.1", port: browser.port)
                .flatMap { channel in
                    channel.writeAndFlush(ByteBuffer(string: browser.events)).map { channel }
                }
        }

        /// Changes the scene a number of times, and waits each time until all pages have it.
        /// - Returns: how long they took, in milliseconds.
        func change(_ count: Int, on stage: BenchStage) async throws -> [Double] {
            var times: [Double] = []
            for _ in 0..<count {
                arrivals.expect(channels.count)
                let start = MonotonicTime.nanoseconds
                try await stage.change()
                let end = try await arrivals.all()
                times.append(Double(end - start) / 1e6)
            }
            return times
        }

        func close() async throws {
            arrivals.end()
            for channel in channels { channel.close(promise: nil) }
            for channel in channels { try await channel.closeFuture.get() }
        }
    }

    /// A browser that is logged in and has loaded the scene's page.
    private struct LoggedIn {
        let port: Int
        /// The request of the page's stream.
        let events: String

        @MainActor
        init(on stage: BenchStage) async throws {
            guard let login = URL(string: try await stage.link()), let port = login.port else {
                throw HTTPConnection.Failure(description: "the console's link has no port")
            }
            self.port = port
            let reply = try await Self.get("\(login.path)?\(login.query ?? "")", "", port)
            let cookie = "Cookie: \((reply.headers["set-cookie"] ?? "").prefix { $0 != ";" })\r\n"
            let path = "/scenes/\(stage.session)"
            let page = try await Self.get(path, cookie, port)
            guard let revision = page.body.firstMatch(of: /data-revision="?([0-9a-z.]+)/)?.1 else {
                throw HTTPConnection.Failure(description: "the scene's page has no revision: \(page.status)")
            }
            events = Self.head("\(path)/events?known=\(revision)", cookie, port) + "\r\n"
        }

        private static func head(_ path: String, _ cookie: String, _ port: Int) -> String {
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(cookie)"
        }

        private static func get(_ path: String, _ cookie: String, _ port: Int) async throws -> HTTPReply {
            let connection = try HTTPConnection(port: port)
            try await connection.send(head(path, cookie, port) + "Connection: close\r\n\r\n")
            return try HTTPReply(try await connection.read { _ in false })
        }
    }

    /// Says when something for its page comes: the stream itself, and then each change.
    private final class PageStream: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let arrivals: Arrivals
        /// What has come of an answer that is not complete.
        private var head = ""
        private var isOpen = false
        /// The end of what was read, which a mark may begin with.
        private var rest: [UInt8] = []
        private static let mark = Array("event: patch".utf8)

        init(_ arrivals: Arrivals) { self.arrivals = arrivals }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            guard isOpen else {
                head += String(buffer: buffer)
                isOpen = head.contains("retry:")
                if isOpen { arrivals.arrive() }
                return
            }
            let bytes = rest + Array(buffer.readableBytesView)
            if bytes.firstRange(of: Self.mark) != nil {
                rest = []
                arrivals.arrive()
            } else {
                rest = Array(bytes.suffix(Self.mark.count - 1))
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            arrivals.fail(
                HTTPConnection.Failure(
                    description: "a page has lost its stream" + (isOpen ? "" : ": \(head.prefix(200))")))
        }
    }
#endif
