#if Console
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOSSL

    extension HTTPServerBuilder {
        /// A server that speaks TLS with the certificate of the moment.
        static func secure(
            _ certificate: LiveCertificate, configuration: HTTP1Channel.Configuration
        ) -> HTTPServerBuilder {
            HTTPServerBuilder { responder in
                SecureChannel(
                    base: HTTP1Channel(responder: responder, configuration: configuration), certificate: certificate)
            }
        }
    }

    /// A connection that begins with TLS. That of Hummingbird has one certificate for its whole life.
    struct SecureChannel: ServerChildChannel {
        let base: HTTP1Channel
        let certificate: LiveCertificate

        func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(PlainRequestHandler())
                try pipeline.addHandler(
                    NIOSSLServerHandler(
                        context: certificate.context, customVerificationCallback: nil, configuration: .init()))
            }
            .flatMap { base.setup(channel: channel, logger: logger) }
        }

        func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
    }

    /// Tells whoever speaks HTTP without TLS that this is not how the console is reached. Otherwise a browser with an address that begins
    /// with `http://` would show nothing but that the connection was closed.
    private final class PlainRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private static let text = "This is an address with TLS. Begin it with https:// instead of http://\n"
        private static let answer = """
            HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n\
            Content-Length: \(text.utf8.count)\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n\(text)
            """

        private var isAnswered = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isAnswered else { return }
            let bytes = unwrapInboundIn(data)
            guard let first = bytes.readableBytesView.first else { return }
            // The method of a request is written so. TLS begins with another byte.
            guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
                context.fireChannelRead(data)
                context.pipeline.syncOperations.removeHandler(self, promise: nil)
                return
            }
            isAnswered = true
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)), promise: nil)
            context.close(promise: nil)
        }
    }
#endif
