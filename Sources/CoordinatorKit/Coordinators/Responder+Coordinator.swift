public import Messaging

extension Responder {
    /// The coordinator of the nearest view controller at or above this responder. For a coordinator, it is the
    /// coordinator itself.
    public var containingCoordinator: (any Coordinating)? {
        var responder: Responder? = self
        // A chain that leads back to itself has an end here.
        for _ in 0..<4096 {
            guard let current = responder else { return nil }
            if let coordinator = current as? any Coordinating { return coordinator }
            if let coordinator = (current as? ViewController)?.parentCoordinator { return coordinator }
            responder = current.coordinatingResponder
        }
        return nil
    }
}
