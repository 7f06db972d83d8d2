import Messaging

/// A coordinator whose root is known without its type.
@MainActor
protocol RootHolding: AnyObject {
    var root: ViewController { get }
    var isStarted: Bool { get }
}

extension ViewController {
    /// The view controllers that are shown by this one as the root of a coordinator, from the bottom up: its stack, and
    /// what is presented over it.
    var screens: [ViewController] {
        presentationChain.flatMap { ($0 as? NavigationController)?.viewControllers ?? [$0] }
    }

    /// The ``screens``, and above each tab bar controller among them those of its selected tab.
    var screensAndTabs: [ViewController] {
        screens.flatMap { screen in
            [screen] + ((screen as? TabBarController)?.selectedViewController?.screensAndTabs ?? [])
        }
    }

    /// Whether this is the root of a running coordinator, which is its own.
    var isOwnRoot: Bool {
        guard let owner = parentCoordinator as? any RootHolding else { return false }
        return owner.isStarted && owner.root === self
    }
}
