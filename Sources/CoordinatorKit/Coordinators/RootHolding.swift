import Messaging

/// A coordinator whose root is known without its type.
@MainActor
protocol RootHolding: AnyObject {
    var root: ViewController { get }
    var isStarted: Bool { get }
}

extension ViewController {
    /// Whether this is the root of a running coordinator, which is its own.
    var isOwnRoot: Bool {
        guard let owner = parentCoordinator as? any RootHolding else { return false }
        return owner.isStarted && owner.root === self
    }
}
