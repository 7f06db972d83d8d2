/// A scene's reply to the question whether it opens a link that was sent to no session.
package struct SceneAcceptance: Codable, Hashable, Sendable {
    package static let preferred = "preferred"
    package static let accepted = "accepted"
    package static let declined = "declined"

    /// "preferred", "accepted" or "declined". Any other text means "accepted".
    package var answer: String
    /// Why it is declined; `nil` for another answer.
    package var reason: String?

    package init(answer: String, reason: String? = nil) {
        self.answer = answer
        self.reason = reason
    }
}
