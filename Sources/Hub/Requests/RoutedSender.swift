// Hot path: it runs for each request. See "Hot paths" in Contributing.

import Bus
import Messaging

/// The sender of requests that the hub's upstream handles. It passes their replies to the router.
@MainActor
final class RoutedSender: RequestSender {
    private let origin: RequestOrigin
    private let router: any RequestFinisher
    // The hub must be alive when a handler ends, because the router does not keep it.
    private let hub: any RequestCarrier

    init(_ origin: RequestOrigin, _ router: any RequestFinisher, _ hub: any RequestCarrier) {
        self.origin = origin
        self.router = router
        self.hub = hub
    }

    // The reply may be kept on record, or go to this process.
    var names: Int { 0 }

    func end(_ id: UInt64, _ name: String, _ session: String, with end: RequestEnd) {
        router.finish(origin, name: name, with: end)
    }
}

/// A peer as the sender of a request that the hub's upstream handles.
@MainActor
final class PeerSender: RequestSender {
    let link: HubLink
    private let router: any RequestFinisher
    // As in `RoutedSender`.
    private let hub: any RequestCarrier

    init(_ link: HubLink, _ router: any RequestFinisher, _ hub: any RequestCarrier) {
        self.link = link
        self.router = router
        self.hub = hub
    }

    var names: Int { link.names }

    func end(_ id: UInt64, _ name: String, _ session: String, with end: RequestEnd) {
        router.finish(.peer(link, id: id, session: session), name: name, with: end)
    }
}

/// What carries requests, and passes on how they end.
@MainActor
protocol RequestFinisher: AnyObject {
    func finish(_ origin: RequestOrigin, name: String, with end: RequestEnd)
}
