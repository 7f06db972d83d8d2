import LabClock
import Glibc
import Synchronization

/// A cable with a delay: two network interfaces, where each packet that enters one leaves the other after a delay.
///
/// The interfaces belong to this process and disappear when it ends.
final class DelayCable: Sendable {
    /// The names of the two interfaces.
    let ends: [String]
    private let descriptors: [Int32]
    /// A socket pair; a byte on it ends the thread.
    private let line: [Int32]
    private let delay = Atomic<Int64>(0)

    /// Creates the interfaces and starts the thread.
    /// - Throws: ``LabError`` when this process is not allowed to create interfaces.
    init() throws(LabError) {
        let id = String(UInt32.random(in: .min ... .max), radix: 16)
        ends = ["sbd\(id)a", "sbd\(id)b"]
        let first = try Self.openInterface(ends[0])
        let second: Int32
        do throws(LabError) {
            second = try Self.openInterface(ends[1])
        } catch {
            Glibc.close(first)
            throw error
        }
        descriptors = [first, second]
        var line: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &line)
        self.line = line
        var thread = pthread_t()
        let cable = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil,
            { context in
                // The initializer has retained it for the lifetime of the thread.
                Unmanaged<DelayCable>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, cable.toOpaque())
        guard result == 0 else {
            cable.release()
            for descriptor in descriptors + line { Glibc.close(descriptor) }
            throw LabError("cannot start the thread for a slow link: \(String(cString: strerror(result)))")
        }
        pthread_detach(thread)
    }

    /// Sets the delay of all packets that enter from now on.
    func setDelay(_ delay: Duration) {
        self.delay.store(delay.nanoseconds, ordering: .relaxed)
    }

    /// Removes the interfaces asynchronously.
    func close() { _ = write(line[1], [1], 1) }

    // MARK: - Interfaces

    private static func openInterface(_ name: String) throws(LabError) -> Int32 {
        let descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw LabError("cannot open /dev/net/tun for a slow link: \(String(cString: strerror(errno)))")
        }
        // struct ifreq: the name in 16 bytes, then the flags.
        var request = [UInt8](repeating: 0, count: 40)
        request.replaceSubrange(0..<name.utf8.count, with: name.utf8)
        let flags: UInt16 = 0x1002  // IFF_TAP | IFF_NO_PI
        request[16] = UInt8(flags & 0xff)
        request[17] = UInt8(flags >> 8)
        let makeInterface: UInt = 0x4004_54ca  // TUNSETIFF
        guard ioctl(descriptor, makeInterface, &request) == 0 else {
            let reason = String(cString: strerror(errno))
            Glibc.close(descriptor)
            throw LabError("cannot create an interface for a slow link: \(reason)")
        }
        return descriptor
    }

    // MARK: - The thread

    private struct Packet {
        let due: Int64
        let bytes: [UInt8]
    }

    private func run() {
        // The packets that wait to leave each end, in the order in which they entered the other.
        var queues: [[Packet]] = [[], []]
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let next = queues.compactMap(\.first?.due).min()
            var polls = (descriptors + [line[0]]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            wait(for: &polls, until: next)
            if polls[2].revents != 0 { break }
            let now = Self.now
            for end in 0...1 {
                while case let count = read(descriptors[end], &buffer, buffer.count), count > 0 {
                    let due = now + delay.load(ordering: .relaxed)
                    queues[1 - end].append(Packet(due: due, bytes: Array(buffer[..<count])))
                }
            }
            for end in 0...1 {
                let ready = queues[end].prefix { $0.due <= now }
                // An interface that is down drops the packet, like an unplugged cable.
                for packet in ready { _ = write(descriptors[end], packet.bytes, packet.bytes.count) }
                queues[end].removeFirst(ready.count)
            }
        }
        for descriptor in descriptors + line { Glibc.close(descriptor) }
    }

    private func wait(for polls: inout [pollfd], until due: Int64?) {
        // Rounded up to a whole millisecond: waking too early would spin.
        let left = due.map { Int32(max(0, $0 - Self.now + 999_999) / 1_000_000) }
        poll(&polls, nfds_t(polls.count), left ?? -1)
    }

    private static var now: Int64 { Int64(MonotonicTime.nanoseconds) }
}

extension Duration {
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
