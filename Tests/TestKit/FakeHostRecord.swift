package import Bus
import CBOR
import ZeroMQ

/// What peers have sent to a ``FakeHost``, in its order.
package struct FakeHostRecord {
    /// The number of ZeroMQ messages, each with one frame or several.
    package internal(set) var messageCount = 0
    package private(set) var hellos = 0
    /// The latest hello.
    package private(set) var hello: Hello?
    private var greeters: Set<RoutingID> = []
    package private(set) var requestFrames: [Frame] = []
    package private(set) var posts: [Frame] = []
    /// The names of the requests and posts.
    package private(set) var messageNames: [String] = []
    /// The replies and failures.
    package private(set) var replies: [Frame] = []
    /// The requests that were cancelled.
    package private(set) var cancelled: [UInt64?] = []
    /// The changes that were published.
    package private(set) var published: [[String: [UInt8]?]] = []
    /// How often a snapshot was requested.
    package private(set) var synchronizations = 0
    /// What the peer said that it has dropped, in its latest report.
    package internal(set) var drops: [String: UInt64]?

    /// The number of connections on which hellos have come.
    package var connections: Int { greeters.count }
    package var requests: Int { requestFrames.count }
    package var lastRequest: Frame? { requestFrames.last }
    package var requestNames: [String] { requestFrames.map(\.name) }
    package var requestIDs: [UInt64] { requestFrames.map(\.id) }

    mutating func received(_ frame: Frame, from sender: RoutingID) {
        switch frame.kind {
        case .hello:
            hellos += 1
            greeters.insert(sender)
            hello = try? frame.decodePayload(as: Hello.self)
        case .request:
            requestFrames.append(frame)
            messageNames.append(frame.name)
        case .post:
            posts.append(frame)
            messageNames.append(frame.name)
        case .reply, .failure: replies.append(frame)
        case .cancel: cancelled.append(frame.id)
        case .publish:
            if let entries = try? DependencyPayload.decode(frame.payload) { published.append(entries.values) }
        case .heartbeat:
            if let counts = try? frame.decodePayload(as: Heartbeat.self).drops?.counts { drops = counts }
        case .synchronize: synchronizations += 1
        default: break
        }
    }
}
