#if Console
    import ConsoleModel
    import Glibc
    import NIOCore
    import Synchronization

    /// How many connections the console has, and how many each machine, and for how long they wait for a reader.
    final class ConnectionLimits: Sendable {
        /// How many connections another machine may have.
        private static let each = 256

        /// How long what was sent may wait for a reader who takes nothing, or who has gone without a word, in milliseconds.
        private static let readingTime = ChannelOptions.Types.SocketOption.Value(60_000)

        /// The number of connections.
        let total: Int
        /// The machine from which all browsers come that are behind a proxy.
        private let proxy: ClientAddress?
        private let places: Mutex<Places<ClientAddress>>

        init(total: Int, proxy: ClientAddress?) {
            self.total = total
            self.proxy = proxy
            places = Mutex(Places(total: total, each: Self.each))
        }

        /// The handler of a new connection.
        func handler() -> any RemovableChannelHandler & Sendable { Handler(limits: self) }

        /// The machine at an address, with whose share its connections and logins are counted; `nil` for this one and the proxy, which
        /// have no limit of their own.
        func machine(of address: SocketAddress?) -> ClientAddress? {
            guard let client = address?.ipAddress.flatMap(ClientAddress.init), !client.isLocal, client != proxy else {
                return nil
            }
            return client.machine
        }

        private func take(_ machine: ClientAddress) -> Bool { places.withLock { $0.take(machine) == nil } }
        private func leave(_ machine: ClientAddress) { places.withLock { $0.leave(machine) } }

        private final class Handler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
            typealias InboundIn = Any

            private let limits: ConnectionLimits

            init(limits: ConnectionLimits) { self.limits = limits }

            func channelActive(context: ChannelHandlerContext) {
                context.fireChannelActive()
                // Small events would fill the system's buffers for hours before a write has to wait.
                _ = context.channel.setOption(
                    ChannelOptions.tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)),
                    value: ConnectionLimits.readingTime)
                guard let machine = limits.machine(of: context.remoteAddress) else { return }
                guard limits.take(machine) else { return context.close(promise: nil) }
                context.channel.closeFuture.whenComplete { [limits] _ in limits.leave(machine) }
            }
        }
    }
#endif
