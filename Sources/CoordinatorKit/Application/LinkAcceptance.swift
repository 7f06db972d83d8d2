/// Whether a scene opens a link that was sent to the application rather than to the scene's session.
///
/// Of the scenes that prefer a link, the one whose session was opened first opens it, else the first of those that accept
/// it.
public enum LinkAcceptance: Hashable, Sendable {
    /// The scene is the right one for the link, because it shows what the link refers to.
    case preferred
    /// The scene can open the link.
    case accepted
    /// The scene does not open the link, for this reason, because it cannot, or because it shows something else.
    case declined(String)
}
