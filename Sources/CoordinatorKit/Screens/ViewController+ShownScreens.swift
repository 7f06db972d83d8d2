import Messaging

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
}
