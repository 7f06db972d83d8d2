import Messaging
import SceneContent

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

    /// What tells the screen that is shown here from others that are shown in the same place: its page, or else the type of
    /// its controller.
    var shownIdentity: String {
        let shown = innermost
        return (shown.page.map { "\($0)" } ?? shown.className).cut(toBytes: 200)
    }

    /// The controller that is shown in this one, at any depth of containers.
    private var innermost: ViewController {
        switch self {
        case let stack as NavigationController: stack.topViewController?.innermost ?? self
        case let tabs as TabBarController: tabs.selectedViewController?.innermost ?? self
        default: self
        }
    }
}
