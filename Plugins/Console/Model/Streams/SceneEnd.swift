/// Why a scene is no longer watched.
package enum SceneEnd: Hashable, Sendable {
    /// The session is not open.
    case closed
    case failed(reason: String)

    package var text: String {
        switch self {
        case .closed: "This session is closed."
        case .failed(let reason): reason
        }
    }
}
