#if Console
    /// A place that an answer has until it is written, or dropped.
    final class AnswerPlace: Sendable {
        private let leave: @Sendable () -> Void

        /// - Parameter leave: gives the place back.
        init(leave: @escaping @Sendable () -> Void) { self.leave = leave }

        deinit { leave() }
    }
#endif
