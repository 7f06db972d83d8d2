package import Messaging

/// Why a command about a session, its scene or its worker was refused.
package struct SceneCommandError: CodedError, Hashable, CustomStringConvertible {
    /// The error codes, as callers in any language see them.
    package enum Code: String, Sendable {
        /// The command is not allowed, or not possible, in the session's current state.
        case refused
        /// The token belongs to a placement that is over.
        case staleToken
        case unknownSession
        case unknownConfiguration
        case unknownWorker
        /// The session currently has no running scene.
        case notConnected
        /// Too many inputs are waiting for scenes, or the open sessions leave no room for another one.
        case overloaded
        /// The worker's lease has expired, or the scene is being moved.
        case suspended
        /// The scene's saved state cannot be decoded by this worker.
        case unreadableState
        /// The scene has no window, so it has no content to show or to act on.
        case noWindow
    }

    package let reason: Code
    package let description: String

    package var code: String { reason.rawValue }

    package init(_ reason: Code, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// What is meant for a screen must not reach another one.
    package static var otherLayer: SceneCommandError {
        SceneCommandError(.refused, "the scene shows another screen now")
    }

    package static func unknownSession(_ id: String) -> SceneCommandError {
        SceneCommandError(.unknownSession, "no session '\(id)' runs here")
    }
}

extension RemoteError {
    /// The code of a ``SceneCommandError`` that another process threw; `nil` for any other error.
    package var sceneCommandCode: SceneCommandError.Code? { code.flatMap(SceneCommandError.Code.init) }
}
