/// The kind of a frame, which is its third byte.
package enum FrameKind: UInt8, Sendable, CaseIterable {
    // The lifecycle of a link.
    case hello = 1
    case welcome = 2
    case refusal = 3
    case heartbeat = 4
    case goodbye = 5

    // Messages.
    case request = 16
    case reply = 17
    case failure = 18
    case post = 19
    case cancel = 20

    // The container.
    case synchronize = 32
    case snapshot = 33
    case delta = 34
    case beacon = 35
    case publish = 36

    // A record for monitors.
    case tap = 48

    package var name: String { String(describing: self) }
}
