// Hot path: it runs for each request. See "Hot paths" in Contributing.

import Bus
import Messaging
import MessageHandling

/// The sender of a request that the hub's upstream handles. It passes the request's end to the router.
@MainActor
private final class RoutedSender: RequestSender {
    private let origin: RequestOrigin
    private let router: RequestRouter
    // The hub must be alive when a handler ends, because the router does not keep it.
    private let hub: any RequestCarrier

    init(_ origin: RequestOrigin, _ router: RequestRouter) {
        self.origin = origin
        self.router = router
        hub = router.hub
    }

    var names: Int {
        // Other replies are kept on record, or go to this process.
        guard case .peer(let link, _, _) = origin else { return 0 }
        return link.names
    }

    func end(_ id: UInt64, _ name: String, with end: RequestEnd) { router.finish(origin, name: name, with: end) }
}

extension RequestRouter {
    /// The sender of a request for the hub's upstream.
    func sender(of origin: RequestOrigin) -> any RequestSender { RoutedSender(origin, self) }
}
