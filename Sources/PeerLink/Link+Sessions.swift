import Bus

/// The sessions whose scenes run in this process, and their fencing tokens.
extension Link {
    /// Lets a session's scene act with this token, and sends the requests that have waited for that.
    package func grant(_ session: String, token: UInt64) {
        tokens[session] = token
        traffic.requests.resume(session)
        sendWaiting()
    }

    /// Stops a session's scene from acting. Its requests wait.
    package func suspend(_ session: String) {
        tokens[session] = nil
        traffic.requests.suspend(session)
    }

    /// Removes a session whose scene is gone, and fails the requests that have waited for it.
    package func revoke(_ session: String, reason: String) {
        tokens[session] = nil
        for request in traffic.requests.revoke(session) { fail(request, detail: reason) }
        // One of them may have kept those behind it waiting.
        sendWaiting()
    }
}
