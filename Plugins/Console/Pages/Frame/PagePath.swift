/// The paths that pages link to.
package enum PagePath {
    /// The list of sessions.
    package static let sessions = "/"
    /// Where the header's button to log out is posted, with the `token`.
    package static let logout = "/logout"

    /// Where a browser finds its own session of a configuration: `/open/CONFIGURATION`.
    package static func open(_ configuration: String) -> String { "/open/" + part(configuration) }

    /// One part of a path, whatever a name is made of.
    static func part(_ name: String) -> String {
        Percent.encode(name) { byte in
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "~"): true
            default: Percent.isLetterOrDigit(byte)
            }
        }
    }
}

/// Where a page shows a scene.
package enum SceneAddress: Hashable, Sendable {
    /// `/scenes/ID`, for whoever is logged in.
    case scene(_ session: String)
    /// `/wall/CONFIGURATION`, for a screen on a wall. Each has a key, which says the session.
    case wall(_ configuration: String)

    /// The page.
    package var path: String {
        switch self {
        case .scene(let session): "/scenes/" + PagePath.part(session)
        case .wall(let configuration): "/wall/" + PagePath.part(configuration)
        }
    }

    /// Where its forms are posted.
    package var act: String { path + "/act" }

    /// The stream of the scene's changes.
    package var events: String { path + "/events" }
}
