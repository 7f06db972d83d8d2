import Bus

/// The end of a request whose caller no longer waits.
extension Link {
    func cancel(_ id: UInt64) {
        guard let request = traffic.requests.remove(id) else { return }
        if request.isOnItsWay { sendCancel(id) }
        sendWaiting()
        request.fail(CancellationError())
    }

    /// Tells the host that the caller of a request no longer waits, so that the handler can stop.
    func sendCancel(_ id: UInt64) {
        var frame = Frame(.cancel)
        frame.id = id
        send(frame)
    }
}
