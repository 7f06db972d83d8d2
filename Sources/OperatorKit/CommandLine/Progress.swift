import PeerLink
import ZeroMQ

/// Says on standard error every few seconds how far something is that takes long.
@MainActor
package final class Progress {
    private static let interval = Duration.seconds(2)
    private let text: @MainActor () -> String
    private lazy var timer = LoopTimer { [weak self] in self?.show() }

    package init(_ text: @escaping @MainActor () -> String) {
        self.text = text
        timer.set(for: .now + Self.interval)
    }

    private func show() {
        StandardError.write(text())
        timer.set(for: .now + Self.interval)
    }

    package func end() { timer.cancel() }
}
