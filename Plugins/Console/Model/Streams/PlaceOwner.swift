/// Whose places are counted together.
package enum PlaceOwner: Hashable, Sendable {
    /// A user, with all browsers in which the user is logged in.
    case user(String)
    /// A browser that was logged in with a link, or a screen on a wall.
    case browser(TokenDigest)
    /// All on a machine who are not logged in.
    case machine(ClientAddress)
}
