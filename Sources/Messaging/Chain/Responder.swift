/// An object that can handle messages, or pass them on to the next responder.
///
/// A message climbs along ``coordinatingResponder`` until a responder conforms to the message's protocol. At the top of
/// a scene worker's chain is the link to the host, over which the message climbs on in the host's process.
@MainActor
open class Responder {
    /// The name of this responder's class, without its module.
    package var className: String { known.pointee.name }

    /// What the chain knows about this responder's class. It is looked up once, so a message that passes needs no cast.
    let known: UnsafeMutablePointer<ResponderClass>

    public init() {
        known = ResponderClass.of(Self.self)
    }

    /// The next responder in the chain without coordinators; `nil` unless a subclass overrides it.
    open var next: Responder? { nil }

    /// The responder to which a message goes if this one does not handle it; ``next`` unless a subclass overrides it.
    open var coordinatingResponder: Responder? { next }

    /// The nearest responder at or above this one that runs a session; `nil` outside any session.
    package var containingSession: SessionResponder? {
        var responder: Responder? = self
        while let current = responder {
            if let session = current as? SessionResponder { return session }
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
