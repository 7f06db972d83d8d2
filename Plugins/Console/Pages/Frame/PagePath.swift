/// The paths that pages link to.
package enum PagePath {
    /// The page of the application.
    package static let application = "/"
    /// The list of entries.
    package static let entries = "/entries"
    /// Where the form to log in is posted, with `username` and `password`.
    package static let login = "/login"
    /// Where the header's button to log out is posted, with the `token`.
    package static let logout = "/logout"

    /// What a page asks for that nobody sees, so that the login lasts. The page of a scene has one of its own.
    package static let stay = "/stay"

    /// Where a browser finds its own session of a configuration: `/open/CONFIGURATION`.
    package static func open(_ configuration: String) -> String { "/open/" + part(configuration) }

    /// The same, where the console asks before it opens a session.
    package static func open(asking configuration: String) -> String { "\(open(configuration))?\(asks)=1" }

    /// What such an address has in its query.
    package static let asks = "ask"

    /// The page of a session, which says how it is. That of its scene is a ``SceneAddress``.
    package static func session(_ id: String) -> String { "/sessions/" + part(id) }

    /// The page that asks whether a session is to be closed, and where its form is posted, with the `token`.
    package static func close(_ id: String) -> String { session(id) + "/close" }

    package static func worker(_ name: String) -> String { "/workers/" + part(name) }

    package static func plugin(_ name: String) -> String { "/plugins/" + part(name) }

    /// The page of an entry, with its whole value.
    package static func entry(_ key: String) -> String { entries + "/" + part(key) }

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

    /// An image of the scene, by its hash.
    package func image(_ hash: String) -> String { path + "/images/" + PagePath.part(hash) }
}
