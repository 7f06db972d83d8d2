import Messaging

// The names of UIKit that users type from habit. The compiler says the name to write instead.

@available(*, unavailable, renamed: "Responder")
public typealias UIResponder = Responder
@available(*, unavailable, renamed: "Application")
public typealias UIApplication = Application
@available(*, unavailable, renamed: "AppDelegate", message: "subclass AppDelegate")
public typealias UIApplicationDelegate = AppDelegate
@available(*, unavailable, renamed: "Scene")
public typealias UIScene = Scene
@available(*, unavailable, renamed: "Scene")
public typealias UIWindowScene = Scene
@available(*, unavailable, renamed: "SceneDelegate", message: "subclass SceneDelegate")
public typealias UISceneDelegate = SceneDelegate
@available(*, unavailable, renamed: "SceneDelegate", message: "subclass SceneDelegate; it has a window")
public typealias UIWindowSceneDelegate = SceneDelegate
@available(*, unavailable, renamed: "SceneSession")
public typealias UISceneSession = SceneSession
@available(*, unavailable, renamed: "SceneConfiguration")
public typealias UISceneConfiguration = SceneConfiguration
@available(*, unavailable, renamed: "Window")
public typealias UIWindow = Window
@available(*, unavailable, renamed: "View")
public typealias UIView = View
@available(*, unavailable, renamed: "ViewController")
public typealias UIViewController = ViewController
@available(*, unavailable, renamed: "NavigationController")
public typealias UINavigationController = NavigationController
@available(*, unavailable, renamed: "TabBarController")
public typealias UITabBarController = TabBarController
@available(*, unavailable, renamed: "NavigationControllerDelegate")
public typealias UINavigationControllerDelegate = NavigationControllerDelegate
@available(*, unavailable, renamed: "TabBarControllerDelegate")
public typealias UITabBarControllerDelegate = TabBarControllerDelegate
@available(*, unavailable, renamed: "UserActivity")
public typealias NSUserActivity = UserActivity

extension Application {
    @available(
        *, unavailable, message: "launch options are a LaunchOptions value, with the link that launched the application"
    )
    public typealias LaunchOptionsKey = String
}

@available(*, unavailable, message: "a link is a DeepLink: override scene(_:open:) of SceneDelegate")
public typealias UIOpenURLContext = DeepLink

extension Application {
    @available(*, unavailable, message: "a link is a DeepLink: override scene(_:open:) of SceneDelegate")
    public typealias OpenURLOptionsKey = String
}

@available(*, unavailable, message: "an activity is a DeepLink: override scene(_:continue:) of SceneDelegate")
public typealias UIUserActivityRestoring = AnyObject

// In extensions of protocols, because a class may have a property of its own with such a name.

extension Coordinating {
    @available(
        *, unavailable,
        message: """
            a coordinator shows a screen with show(_:), root(_:), top(_:) or present(_:), and goes back with pop(); the \
            controller itself is its rootViewController
            """
    )
    // A program writes it with and without a question mark.
    public var navigationController: NavigationController! { nil }
}

extension Presentable {
    @available(
        *, unavailable,
        message: "a view controller has no navigation item: set its title, and list its actions in its content"
    )
    public var navigationItem: UINavigationItem! { nil }
}

@available(
    *, unavailable,
    message: "a view controller has no navigation item: set its title, and list its actions in its content"
)
public final class UINavigationItem {
    public var title: String?
    public var leftBarButtonItem: Any?
    public var rightBarButtonItem: Any?
    public var rightBarButtonItems: Any?
}
