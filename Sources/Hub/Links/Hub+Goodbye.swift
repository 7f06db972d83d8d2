import Bus
import ZeroMQ

/// The orderly end of all links.
extension Hub {
    /// Sends a goodbye to all peers, and waits until each one has sent its last frames and its own goodbye or is gone,
    /// or until the time limit.
    /// - Returns: whether all peers are gone.
    package func sayGoodbye(within limit: Duration) async -> Bool {
        isEnding = true
        for link in links.values { send(Frame(.goodbye), to: link) }
        guard !links.isEmpty else { return true }
        let timer = LoopTimer { [weak self] in self?.everybodyIsGone() }
        timer.set(for: .now + limit)
        await withCheckedContinuation { goodbye = $0 }
        timer.cancel()
        return links.isEmpty
    }

    func everybodyIsGone() {
        goodbye?.resume()
        goodbye = nil
    }
}
