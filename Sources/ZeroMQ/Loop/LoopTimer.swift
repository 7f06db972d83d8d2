/// A timer on the main actor. It fires once for each deadline that it is set for.
@MainActor
public final class LoopTimer {
    /// The time at which the timer fires; `nil` if it is not set.
    public private(set) var deadline: MonotonicInstant? {
        didSet { Reactor.shared.timerChanged(self, from: oldValue) }
    }
    private let action: @MainActor () -> Void

    /// Makes a timer that is not set.
    /// - Parameter action: The function to call when the timer fires. It may set the timer again.
    public init(_ action: @escaping @MainActor () -> Void) {
        self.action = action
    }

    /// Sets the timer, and replaces its previous deadline.
    public func set(for deadline: MonotonicInstant) {
        self.deadline = deadline
    }

    /// Sets the timer, unless it fires earlier anyway.
    public func set(noLaterThan deadline: MonotonicInstant) {
        if let due = self.deadline, due <= deadline { return }
        self.deadline = deadline
    }

    public func cancel() {
        deadline = nil
    }

    func fire() {
        deadline = nil
        action()
    }
}
