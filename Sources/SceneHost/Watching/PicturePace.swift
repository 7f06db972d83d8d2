import ZeroMQ

/// How soon the worker of a scene is asked for its next picture. It is a value: the caller passes in the time.
///
/// A worker may answer each question at once, and so may a scene whose actions follow one another without a pause. Each answer
/// is taken on the main actor and wakes all who watch, so what that takes is counted, and a scene has a part of the host's time.
/// Who acts sees the effect at once all the same: a scene that shows usual pictures, 20 a second and some after actions,
/// never waits.
struct PicturePace: Hashable, Sendable {
    /// A scene's pictures may take one part of the host's time in so many.
    static let parts = 5
    /// What they may take beyond that after a rest, as actions come in bursts.
    static let reserve = Duration.milliseconds(500)
    /// What is counted besides for receiving a picture and for asking for the next one, and for each watcher that is answered
    /// and asks again.
    static let leastOfPicture = Duration.microseconds(100)
    static let leastOfAnswer = Duration.microseconds(50)
    /// The most that is counted for taking a picture. The time goes on while the process does not run, and a scene that has
    /// rested does not wait after that.
    static let most = reserve

    /// When what the pictures have taken so far is their part of the time.
    private var paid: MonotonicInstant?

    /// Counts a picture.
    /// - Parameters:
    ///   - time: how long it took to decode it and to take it.
    ///   - answers: how many watchers were answered.
    /// - Returns: when the worker may be asked again, which may be before now.
    mutating func took(_ time: Duration, answers: Int, at now: MonotonicInstant) -> MonotonicInstant {
        let counted = min(time, Self.most) + Self.leastOfPicture + Self.leastOfAnswer * answers
        let paid = max(self.paid ?? now, now) + counted * Self.parts
        self.paid = paid
        return paid - Self.reserve * Self.parts
    }
}
