// Hot path: it runs for each request. See "Hot paths" in Contributing.
// Budget: 12 instructions for each coordinator that a message passes, and no allocation.

/// The place of a responder in chains of responders that store their next one. A message climbs such a chain from place
/// to place without reference counting.
///
/// Weak references to a responder move its count to a side table, where a change of the count costs more than all else
/// in a step. A place is therefore referred to by its address. See ``ChainNode`` for why the address is valid.
struct ChainPlace {
    typealias Address = UnsafeMutablePointer<ChainPlace>

    let known: UnsafeMutablePointer<ResponderClass>
    fileprivate(set) var next: Address?
    fileprivate let node: Unmanaged<ChainNode>
    // The places below this one are a list, so that removing one of many takes no search.
    fileprivate var firstBelow: Address?
    fileprivate var previousSibling: Address?
    fileprivate var nextSibling: Address?

    /// The responder; `nil` once it has been released.
    @MainActor var responder: Responder? { node.takeUnretainedValue().responder }
}

/// Owns the place of a responder.
///
/// It belongs to its responder. It is released with the responder, which any thread may do, but its `deinit` runs on the
/// main actor, removes the place's address from the places below it, and only then frees the memory. Chains are walked
/// on the main actor, and between two steps nothing is called that could release a responder: a climb that has asked a
/// message for its handler starts again. While a responder is being released, a message may therefore still climb past
/// it, as it could have just before.
@MainActor
final class ChainNode {
    private(set) var place: ChainPlace.Address
    fileprivate private(set) weak var responder: Responder?

    init(_ responder: Responder) {
        self.responder = responder
        place = .allocate(capacity: 1)
        place.initialize(to: ChainPlace(known: responder.known, node: .passUnretained(self)))
    }

    isolated deinit {
        setNext(nil)
        while let below = place.pointee.firstBelow { below.pointee.node.takeUnretainedValue().setNext(nil) }
        place.deinitialize(count: 1)
        place.deallocate()
    }

    /// Moves this place below another one.
    func setNext(_ next: ChainPlace.Address?) {
        if let old = place.pointee.next {
            let (previous, following) = (place.pointee.previousSibling, place.pointee.nextSibling)
            following?.pointee.previousSibling = previous
            if let previous {
                previous.pointee.nextSibling = following
            } else {
                old.pointee.firstBelow = following
            }
        }
        place.pointee.next = next
        place.pointee.previousSibling = nil
        place.pointee.nextSibling = next?.pointee.firstBelow
        place.pointee.nextSibling?.pointee.previousSibling = place
        next?.pointee.firstBelow = place
    }
}

extension ChainNode {
    /// Whether the next responders that are stored, from `start` upwards, are those that ``Responder/coordinatingResponder``
    /// returns. For assertions.
    static func isConsistent(above start: Responder) -> Bool {
        // They are kept, because releasing one could remove places that are still to be looked at.
        var kept = [start]
        while kept.count < Responder.maximumHops, let current = kept.last, let node = current.node,
            current.known.pointee.storesNext, let next = current.coordinatingResponder
        {
            guard node.place.pointee.next?.pointee.responder === next else { return false }
            kept.append(next)
        }
        return true
    }
}

extension Responder {
    /// Whether this responder stores its next one. `false` if its class has not called ``declareNextStored(by:)``, and if
    /// it overrides ``Responder/coordinatingResponder``.
    package final var isNextStored: Bool { known.pointee.storesNext }

    /// Declares that a class, of which this is a responder, stores the next one and returns it from
    /// ``Responder/coordinatingResponder``. That class calls this in its initializer. A subclass that overrides the property
    /// stores nothing.
    // Not a conformance: a cast would search all conformances of the process for each class of responders.
    package final func declareNextStored(by storing: Responder.Type) { known.pointee.findStorage(of: storing) }

    /// Declares that a class of this package passes on every message of an application. That class calls this in its
    /// initializer. A subclass of it may handle messages.
    ///
    /// To find out whether a class conforms to a protocol of messages, the runtime searches all conformances of the
    /// process. The chain does not ask it about a class that has declared this.
    package final func declarePassing(by passing: Responder.Type) { known.pointee.declarePassing(by: passing) }

    /// Declares the handler of a message for this responder's class, so that the runtime need not search for it. The class
    /// calls this in its initializer, and has no subclasses.
    package final func declareHandler<M: ResponderMessage>(_ handler: M.Handler, of message: M.Type) {
        known.pointee.store(handler, of: message, at: M.index)
    }

    /// Whether this responder's own class has called ``declarePassing(by:)``.
    package final var isPassing: Bool { known.pointee.isPassing }

    /// Whether this responder handles a message.
    package final func handles<M: ResponderMessage>(_ message: M.Type) -> Bool {
        !isPassing && M.handler(for: Self.self) != nil
    }

    /// Notes the responder that ``Responder/coordinatingResponder`` returns from now on, if this class stores it.
    package final func storeNext(_ responder: Responder?) {
        guard known.pointee.storesNext else { return }
        if responder == nil, node == nil { return }
        madeNode.setNext(responder?.madeNode.place)
    }

    fileprivate var madeNode: ChainNode {
        if let node { return node }
        let made = ChainNode(self)
        node = made
        return made
    }
}
