/// The paths that pages link to.
package enum PagePath {
    /// The list of sessions.
    package static let sessions = "/"
    /// Where the header's button to log out is posted, with the `token`.
    package static let logout = "/logout"

    /// The page of a scene: `/scenes/ID`.
    package static func scene(_ session: String) -> String {
        "/scenes/"
            + Percent.encode(session) { byte in
                switch byte {
                case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "~"): true
                default: Percent.isLetterOrDigit(byte)
                }
            }
    }

    /// Where a scene's forms are posted: `/scenes/ID/act`.
    package static func act(_ session: String) -> String { scene(session) + "/act" }

    /// The stream of a scene's changes: `/scenes/ID/events`.
    package static func events(_ session: String) -> String { scene(session) + "/events" }
}
