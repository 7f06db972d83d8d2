public import CoordinatorKit

/// The pages of a control-room scene.
public enum ControlRoomPage: Page {
    case login
    case overview
    case process(pid: Int32)
    case alerts
    case alert(id: String)
    case settings
}

extension ControlRoomPage {
    /// The page for a link: a URL such as `controlroom://process/1234`, or a notification with an `alert`.
    /// - Throws: ``DeepLinkRefusal`` when there is no such page.
    static func resolve(_ link: DeepLink) throws -> ControlRoomPage {
        if case .notification(let info) = link {
            if let id = info["alert"]?.stringValue, !id.isEmpty { return .alert(id: id) }
            throw DeepLinkRefusal(link, "a notification for this scene must have a text 'alert' with the alert's id")
        }
        guard let url = try link.urlParts(), url.scheme == "controlroom" else {
            throw DeepLinkRefusal(link, "it does not start with controlroom://")
        }
        let rest = url.path.dropFirst().joined(separator: "/")
        switch (url.path.first ?? "", rest) {
        case ("login", ""): return .login
        case ("overview", ""), ("", ""): return .overview
        case ("settings", ""): return .settings
        case ("alerts", ""): return .alerts
        case ("alert", let id) where !id.isEmpty: return .alert(id: id)
        case ("process", let text):
            guard let pid = Int32(text), pid > 0 else {
                throw DeepLinkRefusal(link, "'\(text)' is not a process id")
            }
            return .process(pid: pid)
        default:
            throw DeepLinkRefusal(
                link, "there is no such page; the pages are: login, overview, process/PID, alerts, alert/ID, settings")
        }
    }
}

/// The messages of a scene's responders that its coordinators handle.
@ResponderMessages
protocol GlobalMessages {
    func globalDisplay(page: ControlRoomPage)
    /// Starts the flow in which the user changes the password.
    func globalChangePassword()
}

extension ResponderChain: GlobalMessages {}
