import PeerLink
import ZeroMQ

/// Writes the progress of a long operation to standard error every two seconds.
@MainActor
package final class Progress {
    private static let interval = Duration.seconds(2)
    private let text: @MainActor () -> String
    private lazy var timer = LoopTimer { [weak self] in self?.show() }

    /// Starts the reports.
    /// - Parameter text: makes the text of each report.
    package init(_ text: @escaping @MainActor () -> String) {
        self.text = text
        timer.set(for: .now + Self.interval)
    }

    private func show() {
        StandardError.write(text())
        timer.set(for: .now + Self.interval)
    }

    /// Stops the reports.
    package func end() { timer.cancel() }
}
