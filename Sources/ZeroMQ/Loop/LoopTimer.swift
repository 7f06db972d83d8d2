/// A timer of the main actor's loop: fires once for each deadline that it is set to.
@MainActor
public final class LoopTimer {
    /// When it fires; `nil` when it is not set.
    public private(set) var deadline: ContinuousClock.Instant? {
        didSet { Reactor.shared.timerChanged(self, from: oldValue) }
    }
    private let action: @MainActor () -> Void

    /// - Parameter action: what to do; it may set the timer again.
    public init(_ action: @escaping @MainActor () -> Void) {
        self.action = action
    }

    /// Sets the timer, or sets it anew.
    public func set(for deadline: ContinuousClock.Instant) {
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
