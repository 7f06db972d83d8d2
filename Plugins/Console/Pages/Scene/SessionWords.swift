/// How a session is, in plain words for those who use its scene.
package struct SessionWords: Hashable, Sendable {
    /// Whether it can be used, or what is waited for.
    package let text: String
    /// What becomes of it by itself, and what its reader can do; `nil` for nothing.
    package let advice: String?

    /// - Parameter state: what the host calls the session's state; `nil` while the host does not answer. One that is not
    ///   known here is said as it is.
    package init(_ state: String?) {
        (text, advice) =
            switch state {
            case nil:
                (
                    "Waiting for the host, which is away",
                    "This page goes on by itself when the host is back. If that takes long, tell whoever runs the application."
                )
            case "waiting":
                (
                    "Waiting for a worker to run this scene",
                    """
                    It starts here by itself as soon as a worker has room for it. The session's page, one level up, says more. \
                    A session that nobody needs can be closed there.
                    """
                )
            case "running": ("Ready", nil)
            case "connecting": ("Starting the scene", "This takes a moment. It appears here by itself.")
            case "moving":
                ("Moving the scene to another worker", "This takes a moment. It goes on here by itself.")
            case "resuming": ("Taking the scene up again", "This takes a moment. It goes on here by itself.")
            case "cut off":
                (
                    "Waiting for the scene's worker, which does not answer",
                    "It goes on here by itself, with this worker or with another one. There is nothing to be done."
                )
            case "withdrawing":
                ("Waiting for the scene's worker to end it", "It then starts again here by itself.")
            case let state?: (state, nil)
            }
    }
}
