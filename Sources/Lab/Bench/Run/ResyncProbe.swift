import Messaging
import PeerLink
import OperatorKit
import Bus
import Glibc
import ZeroMQ

/// A peer of `scenebus bench scale` that bypasses the link and repeatedly requests the changes since a revision.
@MainActor
final class ResyncProbe {
    private let endpoint: String
    private let context = SocketContext()
    private var port: SocketPort?
    private let frames: AsyncStream<[UInt8]>
    private var epoch: UInt64 = 0
    /// The bytes of the frames that have arrived.
    private var received: UInt64 = 0

    init(_ endpoint: String) throws {
        self.endpoint = endpoint
        let (frames, frame) = AsyncStream<[UInt8]>.makeStream()
        self.frames = frames
        var options = SocketOptions()
        options.maximumMessageSize = -1
        let socket = try Socket(.dealer, in: context, options: options)
        try socket.connect(endpoint)
        port = SocketPort(socket) { frame.yield($0.bytes) }
    }

    func attach() async throws {
        let hello = Hello(role: .operator, peer: "probe-\(getpid())", pid: getpid(), endpoint: endpoint)
        try port?.send(Frame(.hello).encoded(payload: hello))
        epoch = try await next(.welcome).decodePayload(as: Welcome.self).epoch
    }

    /// Requests the changes, and returns when all parts have arrived.
    func resync(after revision: UInt64) async throws {
        var frame = Frame(.synchronize)
        frame.epoch = epoch
        frame.previous = revision
        while true {
            // Until it is reported, the host takes the last part for being on its way.
            try port?.send(Frame(.heartbeat).encoded(payload: Heartbeat(received: received)))
            try port?.send(frame.encoded())
            let part = try await next(.snapshot)
            if part.flags.contains(.last) { return }
            frame.part = part.part + 1
            frame.revision = part.revision
        }
    }

    // Swift 6.3 crashes when it inlines this into another asynchronous function of a release build.
    @inline(never)
    private func next(_ kind: FrameKind) async throws -> Frame {
        var iterator = frames.makeAsyncIterator()
        while let bytes = await iterator.next(isolation: MainActor.shared) {
            let frame = try Frame(bytes)
            received += UInt64(bytes.count)
            if frame.kind == kind { return frame }
            if frame.kind == .refusal { break }
        }
        throw CommandError(.failure, "the host does not admit the peer that measures resynchronization")
    }

    func close() {
        _ = try? port?.send(Frame(.goodbye).encoded())
        port?.close()
        port = nil
    }
}
