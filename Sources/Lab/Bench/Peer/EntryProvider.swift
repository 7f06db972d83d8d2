import Messaging
import LabClock
import BenchMessages
import Bus
import CBOR
import Glibc
import PeerLink
import ZeroMQ

/// The peer that sets the entries of `scenebus bench scale`.
///
/// Like a plugin, it publishes all entries whenever it attaches. On request it changes one entry, and prints the size
/// of the frame that the host publishes for the change.
///
///     published entries=…
///     delta bytes=…
@MainActor
final class EntryProvider: LinkDelegate {
    /// The number of entries per link: a hello may name at most 1024.
    private static let entriesPerLink = 1000

    private let context: SocketContext
    /// The links; each sets its own part of the entries.
    private var links: [(link: Link, numbers: Range<Int>)] = []
    private var published: Set<Int> = []
    private var entries: [ScaleEntry]
    /// A subscription to the host's publisher that bypasses the link.
    private var scale: SocketPort?

    init(_ endpoint: String, entries count: Int) {
        context = SocketContext()
        entries = Array(repeating: ScaleEntry(round: 0, time: MonotonicTime.nanoseconds), count: count)
        for (index, first) in stride(from: 0, to: max(count, 1), by: Self.entriesPerLink).enumerated() {
            let numbers = first..<min(first + Self.entriesPerLink, count)
            var configuration = LinkConfiguration(
                endpoint: endpoint, role: .plugin, peer: "provider\(index)", context: context)
            configuration.provides = numbers.map(ScaleEntry.key)
            let link = Link(configuration)
            link.delegate = self
            links.append((link, numbers))
        }
    }

    func start() { for (link, _) in links { link.start() } }

    func stop() {
        for (link, _) in links { link.stop() }
        scale?.close()
    }

    func link(_ link: Link, isReady welcome: Welcome) {
        guard let index = links.firstIndex(where: { $0.link === link }) else { return }
        if index == 0 { weigh(welcome) }
        publish(Array(links[index].numbers), by: links[index].link)
        published.insert(index)
        guard published.count == links.count else { return }
        print("published entries=\(entries.count)")
        fflush(nil)
    }

    /// Changes one entry.
    func change(round: Int) {
        guard !entries.isEmpty else { return }
        let number = round % entries.count
        entries[number] = ScaleEntry(round: round, time: MonotonicTime.nanoseconds)
        publish([number], by: links[number / Self.entriesPerLink].link)
    }

    private func publish(_ numbers: [Int], by link: Link) {
        var changes: [String: [UInt8]?] = [:]
        for number in numbers {
            // Encoding two integers cannot fail.
            guard let bytes = try? CBOREncoder().encode(entries[number]) else { continue }
            changes.updateValue(bytes, forKey: ScaleEntry.key(number))
        }
        link.publish(changes)
    }

    private func weigh(_ welcome: Welcome) {
        scale?.close()
        do {
            let socket = try Socket(.subscriber, in: context)
            try socket.connect(
                HostEndpoint.resolve(
                    publisher: welcome.publisher, connectedTo: links[0].link.configuration.endpoint))
            try socket.subscribe(Frame.topic(.delta))
            scale = SocketPort(socket) { message in
                print("delta bytes=\(message.bytes.count)")
                fflush(nil)
            }
        } catch {
            complain("cannot read the publisher: \(error)")
        }
    }
}
