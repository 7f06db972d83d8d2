import Bus

/// The posts that leave a worker while its scenes handle actions.
///
/// A reply to an action has the screen with what these posts change. See ``SceneResponder/untilHandled(_:of:since:)``.
struct ActionPosts {
    /// A number that distinguishes an action from others that are handled at the same time.
    typealias Number = Int

    private struct Action {
        let number: Number
        let session: String
        /// The id of the host's request for the action.
        let request: UInt64?
        var names: [String] = []
    }

    /// The actions that are being handled, which are few.
    private var actions: [Action] = []
    private var lastNumber = 0

    /// Whether no action is being handled, so that no posts need to be noted.
    var isEmpty: Bool { actions.isEmpty }

    mutating func begin(session: String, request: UInt64?) -> Number {
        lastNumber += 1
        actions.append(Action(number: lastNumber, session: session, request: request))
        return lastNumber
    }

    /// Notes a post that has left this process.
    ///
    /// It belongs to the actions of its session, and to the action that was being handled when it was sent: an object
    /// outside the scene, which the action calls, sends in the name of no session.
    /// - Parameters:
    ///   - session: the session in whose name it was sent.
    ///   - request: the id of the request that was being handled when it was sent.
    mutating func sent(_ name: String, session: String?, handling request: UInt64?) {
        // The host handles this one in its own order, and no screen depends on it.
        guard name != SceneReportMessagesList.sceneCheckpoint.name else { return }
        for index in actions.indices
        where actions[index].session == session || request != nil && actions[index].request == request {
            guard actions[index].names.count < ProtocolMessages.maximumPosts,
                !actions[index].names.contains(name)
            else { continue }
            actions[index].names.append(name)
        }
    }

    /// Ends an action.
    /// - Returns: the names of the posts that it has sent, each once.
    mutating func end(_ number: Number) -> [String] {
        guard let index = actions.firstIndex(where: { $0.number == number }) else { return [] }
        return actions.remove(at: index).names
    }
}
