import BenchMessages
import Bus
import CBOR
import Glibc
import Link
import ZeroMQ

/// The peer that sets the entries of `scenebus bench scale`: publishes all of them whenever it is attached, as a plugin does,
/// changes one when it is told to, and weighs the frame that the host publishes then.
///
///     published entries=…
///     delta bytes=…
@MainActor
final class EntryProvider {
    private let link: Link
    private let context: Context
    private var entries: [ScaleEntry]
    /// Reads the publisher as any subscriber does, below the link.
    private var scale: SocketPort?

    init(_ endpoint: String, entries count: Int) {
        context = Context()
        entries = Array(repeating: ScaleEntry(round: 0, time: BenchPeer.nanoseconds()), count: count)
        var configuration = LinkConfiguration(endpoint: endpoint, role: .plugin, peer: "provider", context: context)
        configuration.provides = entries.indices.map(ScaleEntry.key)
        link = Link(configuration)
        link.handlers.ready = { [weak self] in self?.attached($0) }
    }

    func start() { link.start() }

    func stop() {
        link.stop()
        scale?.close()
    }

    private func attached(_ welcome: Welcome) {
        weigh(welcome)
        publish(Array(entries.indices))
        print("published entries=\(entries.count)")
        fflush(nil)
    }

    /// Sets one entry anew.
    func change(round: Int) {
        guard !entries.isEmpty else { return }
        let number = round % entries.count
        entries[number] = ScaleEntry(round: round, time: BenchPeer.nanoseconds())
        publish([number])
    }

    private func publish(_ numbers: [Int]) {
        var changes: [String: [UInt8]?] = [:]
        for number in numbers {
            // Two numbers always encode.
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
                    publisher: welcome.publisher, connectedTo: link.configuration.endpoint))
            try socket.subscribe(Frame.topic(.delta))
            scale = SocketPort(socket) { message in
                print("delta bytes=\(message.bytes.count)")
                fflush(nil)
            }
        } catch {
            BenchPeer.complain("cannot read the publisher: \(error)")
        }
    }
}
