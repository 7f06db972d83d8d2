import Messaging
import Bus
import CBOR
import Glibc
import PeerLink
import ZeroMQ

/// The peer of `scenebus bench overload` that sends faster than another peer reads. It pauses and resumes for lines of
/// its input that say so.
///
///     done sent=… dropped=…
@MainActor
final class FloodPeer: LinkDelegate {
    /// What it sends: posts through the host to a plugin, or changes of an entry, which that plugin gets.
    enum Direction: Int {
        case up, down
    }

    /// What is sent each second, and how it is spread.
    private static let rate = 1000
    private static let interval = Duration.milliseconds(10)
    private static let burst = 10

    private let link: Link
    private let direction: Direction
    private let count: Int
    private let padding: String
    private var sent = 0
    private var isPaused = false
    private lazy var timer = LoopTimer { [weak self] in self?.send() }

    init(_ endpoint: String, _ direction: Direction, seconds: Int, size: Int) {
        var configuration = LinkConfiguration(
            endpoint: endpoint, role: direction == .up ? .worker : .plugin, peer: "bench-flood",
            context: SocketContext())
        if direction == .down { configuration.provides = [OverloadMessage.entry] }
        link = Link(configuration)
        self.direction = direction
        count = seconds * Self.rate
        padding = String(repeating: "x", count: size)
    }

    func start() {
        link.delegate = self
        link.start()
    }

    func stop() { link.stop() }

    func obey(_ command: String) { isPaused = command == "pause" }

    func link(_ link: Link, isReady welcome: Welcome) { timer.set(for: .now) }

    private func send() {
        guard !isPaused else { return timer.set(for: .now + Self.interval) }
        for _ in 0..<Self.burst where sent < count {
            sent += 1
            // Text and integers can be encoded.
            guard let bytes = try? CBOREncoder().encode(OverloadMessage(number: sent, padding: padding)) else { return }
            if direction == .down {
                link.publish([OverloadMessage.entry: bytes])
            } else {
                var post = Frame(.post)
                post.name = OverloadMessage.post
                post.payload = bytes[...]
                link.post(post.encoded(), kind: .post)
            }
        }
        guard sent == count else { return timer.set(for: .now + Self.interval) }
        print("done sent=\(sent) dropped=\(link.drops.values.reduce(0, +))")
        fflush(nil)
    }
}

/// The peer of `scenebus bench overload` that reads slowly. For each line of its input it prints its figures.
///
///     taken=… newest=… dropped=…
@MainActor
final class SlowPeer: LinkDelegate {
    private let link: Link
    private let pause: UInt32
    private var taken = 0
    /// The number of the last message or value.
    private var newest = 0

    init(_ endpoint: String, milliseconds: Int) {
        var configuration = LinkConfiguration(
            endpoint: endpoint, role: .plugin, peer: "bench-slow", context: SocketContext())
        configuration.handles = [OverloadMessage.post]
        link = Link(configuration)
        pause = UInt32(milliseconds) * 1000
    }

    func start() {
        link.delegate = self
        link.start()
    }

    func stop() { link.stop() }

    func show() {
        print("taken=\(taken) newest=\(newest) dropped=\(link.drops.values.reduce(0, +))")
        fflush(nil)
    }

    func link(_ link: Link, receivedPost post: Frame) { take(post.payload) }

    func link(_ link: Link, changed action: DependencyReplica.Action) {
        guard case .apply(let entries) = action, let value = entries[OverloadMessage.entry] else { return }
        if let value { take(value) }
    }

    /// Takes some time for a message, as a handler does that waits for a disk.
    private func take(_ bytes: ArraySlice<UInt8>) {
        guard let message = try? CBORDecoder().decode(OverloadMessage.self, from: bytes) else { return }
        taken += 1
        newest = message.number
        usleep(pause)
    }
}

/// What the two peers exchange.
private struct OverloadMessage: Codable {
    static let post = "benchNote"
    static let entry = "benchNote"

    var number: Int
    var padding: String
}
