import Messaging
import LabClock
import BenchConformances
import BenchMessages
import Bus
import CBOR
import CoordinatorKit
import Glibc
import PeerLink
import SceneWorker
import ZeroMQ

/// The peers that `scenebus bench` measures. Each role runs in its own process.
@main
struct BenchPeer {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return usage() }
        // With the command-line options of a scene worker, run an idle worker.
        if arguments[1].hasPrefix("--") { return idle() }
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }
        let endpoint = arguments[2]
        switch (arguments[1], numbers.count) {
        case ("rtt", 2): run { try await rtt(endpoint, count: numbers[0], size: numbers[1]) }
        case ("pipeline", 3):
            run { try await pipeline(endpoint, count: numbers[0], size: numbers[1], outstanding: numbers[2]) }
        case ("subscribe", 2): run { try await subscribe(endpoint, links: numbers[0], rounds: numbers[1]) }
        case ("scene", 2):
            run {
                try await BenchScenes.sendRequests(endpoint) {
                    try await roundTrips($0, count: numbers[0], size: numbers[1])
                }
            }
        case ("first", 1):
            run {
                try await BenchScenes.sendRequests(endpoint) {
                    try await exchange($0, 1, padding: padding(numbers[0]))
                    return "replied_ns=\(MonotonicTime.nanoseconds)"
                }
            }
        case ("conformances", 0):
            run {
                try await BenchScenes.sendRequests(endpoint) {
                    try await exchange($0, 1, padding: "")
                    return conformances()
                }
            }
        case ("watch", 3):
            run {
                try await BenchScenes.watch(
                    endpoint, scenes: numbers[0], coordinators: numbers[1], rounds: numbers[2])
            }
        case ("dashboard", 2):
            run {
                try await BenchScenes.run(endpoint, capacity: 1) {
                    $0.root(DashboardScreen(rows: numbers[0], points: numbers[1]))
                }
            }
        case ("plugin", 0): run { try await BenchScenes.plugin(endpoint) }
        case ("workers", 4): run { try await workers(endpoint, numbers) }
        case ("flood", 3): run { await flood(endpoint, numbers) }
        case ("strangers", 1): run { try await strangers(endpoint, atATime: numbers[0]) }
        case ("slow", 1): run { await slow(endpoint, milliseconds: numbers[0]) }
        case ("provider", 1): run { await provider(endpoint, entries: numbers[0]) }
        default: usage()
        }
    }

    private static func usage() {
        complain("it is started by 'scenebus bench'")
        exit(2)
    }

    private static func run(_ body: @escaping @MainActor @Sendable () async throws -> Void) {
        MainLoop.run {
            TurnLimits.stretch(by: Slowdown.current)
            do {
                try await body()
                fflush(nil)
                return 0
            } catch {
                complain("\(error)")
                return 1
            }
        }
    }

    /// Opens a link like a scene worker's and waits until it is ready.
    @MainActor
    private static func attach(_ endpoint: String, name: String, context: SocketContext) async throws -> Link {
        let host = try HostReference(ofBench: endpoint)
        let link = Link(
            LinkConfiguration(
                host, role: .worker, peer: try host.peerName("\(name)-\(getpid())").text, context: context))
        let (ready, isReady) = AsyncStream<Void>.makeStream()
        let start = LinkStart(isReady)
        link.delegate = start
        link.start()
        var iterator = ready.makeAsyncIterator()
        await iterator.next(isolation: MainActor.shared)
        withExtendedLifetime(start) {}
        return link
    }

    /// Reports that a link is ready.
    private final class LinkStart: LinkDelegate {
        private let ready: AsyncStream<Void>.Continuation

        init(_ ready: AsyncStream<Void>.Continuation) { self.ready = ready }

        func link(_ link: Link, isReady welcome: Welcome) { ready.yield() }
    }

    /// Sends one request along the chain, and checks its reply.
    @MainActor
    private static func exchange(_ chain: ResponderChain, _ id: Int, padding: String) async throws {
        let reply = try await chain.benchEcho(
            id: id, name: "a product", price: 12.5, isThere: true, padding: padding)
        precondition(reply.id == id, "the reply belongs to another request")
    }

    private static func padding(_ size: Int) -> String { String(repeating: "x", count: max(0, size - 64)) }

    /// Returns the number of conformances that the runtime has searched for, and a line for each.
    private static func conformances() -> String {
        // It is read first, because making the text makes the runtime search for more.
        let count = scenebus_bench_conformances()
        let lines = (0..<count).map { index in
            let type =
                if let generic = scenebus_bench_conformance_generic_type(index) {
                    String(cString: generic)
                } else {
                    // The metadata of a type is what a value of `Any.Type` points to.
                    _typeName(unsafeBitCast(scenebus_bench_conformance_type(index), to: Any.Type.self))
                }
            return "\n\(type): \(String(cString: scenebus_bench_conformance_protocol(index)))"
        }
        return "searched=\(count)" + lines.joined()
    }

    /// Sends requests one after the other.
    /// - Returns: the figures.
    @MainActor
    private static func roundTrips(_ chain: ResponderChain, count: Int, size: Int) async throws -> String {
        let padding = padding(size)
        for id in 0..<500 { try await exchange(chain, id, padding: padding) }
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for id in 0..<count {
            let start = MonotonicTime.nanoseconds
            try await exchange(chain, id, padding: padding)
            times.append(MonotonicTime.nanoseconds - start)
        }
        let mean = Double(times.reduce(0, +)) / Double(count) / 1e3
        times.sort()
        return
            "p50_us=\(Double(times[count / 2]) / 1e3) p99_us=\(Double(times[count * 99 / 100]) / 1e3) mean_us=\(mean)"
    }

    @MainActor
    private static func rtt(_ endpoint: String, count: Int, size: Int) async throws {
        let link = try await attach(endpoint, name: "rtt", context: SocketContext())
        print(try await roundTrips(BenchScreen(below: LinkResponder(link)).chain, count: count, size: size))
        link.stop()
    }

    @MainActor
    private static func pipeline(_ endpoint: String, count: Int, size: Int, outstanding: Int) async throws {
        let link = try await attach(endpoint, name: "pipeline", context: SocketContext())
        let chain = BenchScreen(below: LinkResponder(link)).chain
        let padding = padding(size)
        for id in 0..<500 { try await exchange(chain, id, padding: padding) }
        let before = link.received
        let start = MonotonicTime.nanoseconds
        let each = count / outstanding
        let work: @MainActor @Sendable () async throws -> Void = {
            for id in 0..<each { try await exchange(chain, id, padding: padding) }
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<outstanding { group.addTask(operation: work) }
            try await group.waitForAll()
        }
        let rate = Double(each * outstanding) * 1e9 / Double(MonotonicTime.nanoseconds - start)
        let messages = max(1, link.received.messages - before.messages)
        let batch = Double(link.received.frames - before.frames) / Double(messages)
        print("msgs_s=\(rate) frames_message=\(batch)")
        link.stop()
    }

    @MainActor
    private static func subscribe(_ endpoint: String, links count: Int, rounds: Int) async throws {
        let context = SocketContext(maximumSockets: 16_384)
        var links: [Link] = []
        // A link does not keep its delegate.
        var receivers: [LatencyReceiver] = []
        let (ends, end) = AsyncStream<Void>.makeStream()
        let latencies = Latencies(receivers: count, rounds: rounds, end)
        for number in 0..<count {
            let link = try await attach(endpoint, name: "sub\(number)", context: context)
            let receiver = LatencyReceiver(number, latencies)
            link.delegate = receiver
            receivers.append(receiver)
            links.append(link)
        }
        print("ready")
        fflush(nil)
        var iterator = ends.makeAsyncIterator()
        _ = await iterator.next(isolation: MainActor.shared)
        latencies.show()
        withExtendedLifetime(receivers) { for link in links { link.stop() } }
    }

    /// Runs simulated workers until standard input ends. Arguments: the number of the first, their count, the capacity
    /// of each, and the number of entries.
    @MainActor
    private static func workers(_ endpoint: String, _ numbers: [Int]) async throws {
        let fleet = try WorkerFleet(
            endpoint, first: numbers[0], count: numbers[1], capacity: numbers[2], entries: numbers[3])
        fleet.start()
        await LineInput.commands { line in
            do { try fleet.obey(line) } catch { complain("\(error)") }
        }
        fleet.stop()
    }

    /// Runs the provider of entries until standard input ends. Each line of the input is the number of a change to
    /// make.
    @MainActor
    private static func provider(_ endpoint: String, entries: Int) async {
        let provider = EntryProvider(endpoint, entries: entries)
        provider.start()
        await LineInput.commands { if let round = Int($0) { provider.change(round: round) } }
        provider.stop()
    }

    /// Sends faster than another peer reads. Arguments: the direction, the seconds, and the size of a message.
    @MainActor
    private static func flood(_ endpoint: String, _ numbers: [Int]) async {
        guard let direction = FloodPeer.Direction(rawValue: numbers[0]) else { return usage() }
        let peer = FloodPeer(endpoint, direction, seconds: numbers[1], size: numbers[2])
        peer.start()
        await LineInput.commands { peer.obey($0) }
        peer.stop()
    }

    /// Tries keys that the host does not know until standard input ends. A line of the input asks for the numbers of
    /// those that were refused, and of the connections that were closed before.
    @MainActor
    private static func strangers(_ endpoint: String, atATime count: Int) async throws {
        guard let key = try HostReference(ofBench: endpoint).security?.host else { return usage() }
        // Strangers are on other machines, and their cryptography takes no time of the host's.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        let strangers = Strangers(endpoint, key)
        for _ in 0..<count { try strangers.connect() }
        await LineInput.commands { _ in
            print("refused=\(strangers.refused) closed=\(strangers.closed)")
            fflush(nil)
        }
        strangers.stop()
    }

    /// Reads slowly until standard input ends.
    @MainActor
    private static func slow(_ endpoint: String, milliseconds: Int) async {
        let peer = SlowPeer(endpoint, milliseconds: milliseconds)
        peer.start()
        await LineInput.commands { _ in peer.show() }
        peer.stop()
    }

    /// Runs an idle scene worker.
    private static func idle() {
        setenv("SCENEBUS_PARENT", "stdin", 1)
        SceneWorker.main(
            id: "bench",
            scenes: [BenchScenes.configuration])
    }
}

/// A responder below the link, like a scene's screen.
@MainActor
private final class BenchScreen: Responder {
    private let below: Responder

    init(below: Responder) {
        self.below = below
    }

    override var next: Responder? { below }
}
