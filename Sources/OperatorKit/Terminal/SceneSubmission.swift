package import CBOR
package import Messaging

/// An action that a person has asked for in a terminal, with what was typed that goes with it.
package struct SceneSubmission: Hashable, Sendable {
    /// The key of the layer in which it was asked for.
    package let layer: String
    package let action: String
    /// The action's label, for people.
    package let label: String
    /// Whether it deals with what has been typed. The choice of a row or a tab, and the way back, leave that as it is, and never
    /// have secrets.
    package let isWhole: Bool
    package var fields: [String: String] = [:]
    package var secrets: [String: Secret<String>] = [:]
    /// Tells it from others, so that it is performed at most once, also when it is sent again.
    package let id: MessageID

    package init(layer: String, action: String, label: String, isWhole: Bool, id: MessageID = .new()) {
        (self.layer, self.action, self.label, self.isWhole, self.id) = (layer, action, label, isWhole, id)
    }
}
