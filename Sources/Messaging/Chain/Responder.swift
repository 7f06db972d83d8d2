/// An object that can handle messages, or pass them on to the next responder.
///
/// A message climbs along ``coordinatingResponder`` until a responder conforms to the message's protocol. At the top of
/// a scene worker's chain is the link to the host, over which the message climbs on in the host's process.
@MainActor
open class Responder {
    /// The name of this responder's class, without its module.
    package var className: String { known.name }

    /// What the chain knows about this responder's class. It is looked up once, so a message that passes needs no cast.
    final let known: ResponderClass

    /// This responder, if it forwards messages to another process, or if it runs a session. A cast would cost a message
    /// that passes more than the rest of its step.
    var asForwarder: ForwardingResponder? { nil }
    var asSession: SessionResponder? { nil }

    public init() {
        known = ResponderClass.of(Self.self)
    }

    /// The next responder in the chain without coordinators; `nil` unless a subclass overrides it.
    open var next: Responder? { nil }

    /// The responder to which a message goes if this one does not handle it; ``next`` unless a subclass overrides it.
    open var coordinatingResponder: Responder? { next }

    /// The number of responders after which a message stops climbing. Only a chain that leads back to itself is longer.
    static let maximumHops = 4096

    /// Whether the chain above this responder leads back to itself, so that a message would climb for ever.
    var isInCycle: Bool {
        var hops = 0
        var responder: Responder? = self
        while let current = responder {
            hops += 1
            if hops > Self.maximumHops { return true }
            responder = current.coordinatingResponder
        }
        return false
    }

    /// The nearest responder at or above this one that runs a session; `nil` outside any session.
    package var containingSession: SessionResponder? {
        var responder: Responder? = self
        for _ in 0..<Self.maximumHops {
            guard let current = responder else { return nil }
            if let session = current.asSession { return session }
            responder = current.coordinatingResponder
        }
        return nil
    }

    /// The class names from this responder to the top of its chain, at most 256. The error for an unhandled message
    /// contains them.
    public var climbedPath: [String] {
        var path: [String] = []
        var responder: Responder? = self
        while let current = responder, path.count < 256 {
            path.append(current.className)
            responder = current.coordinatingResponder
        }
        return path
    }
}

extension Responder {
    /// Declares that a class of this package passes on every message of an application. That class calls this in its
    /// initializer. A subclass of it may handle messages.
    ///
    /// To find out whether a class conforms to a protocol of messages, the runtime searches all conformances of the
    /// process. The chain does not ask it about a class that has declared this.
    package final func declarePassing(by passing: Responder.Type) { known.declarePassing(by: passing) }

    /// Whether this responder's own class has called ``declarePassing(by:)``.
    package final var isPassing: Bool { known.isPassing }

    /// Whether this responder handles a message.
    package final func handles<M: ResponderMessage>(_ message: M.Type) -> Bool {
        !isPassing && M.handler(for: Self.self) != nil
    }
}

extension Responder: Hashable {
    /// Responders are equal if they are the same object.
    public nonisolated static func == (left: Responder, right: Responder) -> Bool { left === right }

    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
