import Synchronization

/// The values of a plain content that are made when they are first read.
final class DeferredContent: Sendable {
    private enum State: Sendable {
        case waiting(@Sendable () -> ScreenContent.Values)
        case made(ScreenContent.Values)
    }

    private let state: Mutex<State>

    init(_ make: @escaping @Sendable () -> ScreenContent.Values) { state = Mutex(.waiting(make)) }

    var values: ScreenContent.Values {
        state.withLock { state in
            switch state {
            case .made(let values): return values
            case .waiting(let make):
                let values = make()
                state = .made(values)
                return values
            }
        }
    }
}
