import Bus
import Messaging

extension RequestRouter {
    func attached(_ link: HubLink) {
        for name in Set(link.hello.handles) { handlers[name, default: []].append(link) }
        for name in Set(link.hello.services) { services[name, default: []].append(link) }
        handOn(waiting.ids(for: link.handled))
    }

    /// What waits goes on to a peer that handles it, as far as that has room.
    func goOnWaiting(for link: HubLink) {
        // What has waited longest goes before what comes now.
        if !waiting.isEmpty, link.pending < link.credits {
            handOn(waiting.ids(for: link.handled, first: link.credits - link.pending))
        }
        // The next ones go when there is room for some: to look for those that it handles takes the longer the more wait.
        let window = link.sendWindow
        guard awaiting.count > 0, link.pending <= link.credits / 2,
            window.outstanding == 0 || window.room >= window.size / 4
        else { return }
        goOn(
            awaiting.removeAll(
                for: link.handled, count: link.credits - link.pending, bytes: window.room,
                takesAny: window.outstanding == 0, where: { nextHandler(of: $0.frame, from: $0.link) === link }))
    }

    /// What was on its way to a peer that is gone, and may be handled twice, goes to another that handles it; where there is none,
    /// it waits for one, and where that has no room, until it has.
    /// - Parameter ids: among the forwards, in their order.
    private func handOn(_ ids: [UInt64]) {
        for id in ids {
            guard let forward = forwards.waiter(id), var frame = forward.kept,
                let target = nextHandler(of: frame, from: forward.sender), target.pending < target.credits,
                target.hasRoom(for: frame.sizeBound, .request)
            else { continue }
            frame.id = id
            handOn(frame, to: target)
        }
    }

    /// A peer is gone: what it had may have been handled; what it waited for has nobody left to go to.
    func detached(_ link: HubLink, reason: String) {
        for name in link.hello.handles { Self.remove(link, of: name, from: &handlers) }
        for name in link.hello.services { Self.remove(link, of: name, from: &services) }
        let handedOn = link.handedOn.sorted()
        link.handedOn = []
        for id in handedOn {
            if let forward = forwards.waiter(id), forward.kept != nil {
                forwards.update(id) { $0.target = nil }
                waiting.insert(id, forward.name)
            } else if let forward = forwards.remove(id) {
                fail(
                    forward.origin, name: forward.name,
                    MessageError(
                        .peerLost, message: forward.name, detail: "'\(link.name)' is gone: \(reason)",
                        mayHaveBeenHandled: true))
            }
        }
        for id in link.forwards.values.sorted() {
            if let orphan = forwards.remove(id) { cancel(orphan, id: id) }
        }
        link.forwards = [:]
        // Nothing of these is on record: they come again, or are told as lost.
        for id in link.awaiting.values { awaiting.remove(id) }
        link.awaiting = [:]
        hub.upstream?.cancelAll(of: link.id)
        hub.ledger?.detached(link)
        // Also what could not be sent to it any more.
        handOn(waiting.ids(for: link.handled))
    }

    private static func remove(_ link: HubLink, of name: String, from table: inout [String: [HubLink]]) {
        table[name]?.removeAll { $0 === link }
        if table[name]?.isEmpty == true { table[name] = nil }
    }

    /// A peer no longer waits for the end of its request.
    func cancel(_ frame: Frame, from link: HubLink) {
        hub.upstream?.cancel(frame.id, of: link.id)
        if let id = link.forwards.removeValue(forKey: frame.id), let forward = forwards.remove(id) {
            link.ended(frame.id)
            cancel(forward, id: id)
        }
        if let id = link.awaiting.removeValue(forKey: frame.id), let request = awaiting.remove(id) {
            fail(
                .peer(link, id: frame.id, session: request.frame.session), name: request.frame.name,
                MessageError(.timeout, message: request.frame.name, detail: "its sender has left"))
        }
        hub.ledger?.cancel(frame.id, from: link)
    }

    /// The sender of a request on record has left: its handler need not go on, and that is its end.
    package func cancelForward(_ id: UInt64) {
        guard let forward = forwards.remove(id) else { return }
        cancel(forward, id: id)
        let error = MessageError(
            .timeout, message: forward.name, detail: "its sender has left", mayHaveBeenHandled: true)
        fail(forward.origin, name: forward.name, error)
    }

    /// The caller in this process no longer waits.
    func cancelLocal(_ id: UInt64?) {
        guard let id, let forward = forwards.remove(id) else { return }
        cancel(forward, id: id)
        if case .local(let continuation) = forward.origin { continuation.resume(throwing: CancellationError()) }
    }

    func cancel(_ forward: Forward, id: UInt64) {
        waiting.remove(id, forward.name)
        guard let target = forward.target else { return }
        target.handedOn.remove(id)
        var frame = Frame(.cancel)
        frame.id = id
        hub.send(frame, to: target)
    }
}

extension RequestRouter.Forward {
    /// The link of the peer that waits for its end; 0 for none.
    fileprivate var sender: UInt64 {
        if case .peer(let link, _, _) = origin { return link.id }
        return 0
    }
}
