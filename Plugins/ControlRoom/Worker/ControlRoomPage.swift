import CBOR
import CoordinatorKit

/// Every screen of a control-room scene.
enum ControlRoomPage: Page {
    case login
    case overview
    case process(pid: Int32)
    case alerts
    case alert(id: String)
    case settings
}

extension ControlRoomPage {
    /// The page that a link means: `controlroom://process/1234`, a notification's `alert`.
    /// - Throws: ``DeepLinkRefusal``.
    static func resolve(_ link: DeepLink) throws -> ControlRoomPage {
        if case .notification(let info) = link {
            if let id = info["alert"]?.stringValue, !id.isEmpty { return .alert(id: id) }
            throw DeepLinkRefusal(link, "a notification for this scene has a text 'alert', the alert's id")
        }
        guard let url = try link.urlParts(), url.scheme == "controlroom" else {
            throw DeepLinkRefusal(link, "it does not begin with controlroom://")
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
                link, "there is no such page; there are: login, overview, process/PID, alerts, alert/ID, settings")
        }
    }
}

/// What any responder of a scene can ask for.
@ResponderMessages
protocol GlobalMessages {
    func globalDisplay(page: ControlRoomPage)
}

extension ResponderChain: GlobalMessages {}
