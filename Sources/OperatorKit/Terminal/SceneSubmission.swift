package import CBOR

/// An action that a person has asked for in a terminal, with the fields that go with it.
package struct SceneSubmission: Hashable, Sendable {
    /// The key of the layer in which it was asked for.
    package let layer: String
    package let action: String
    /// The action's label, for people.
    package let label: String
    /// Whether all fields are sent. The choice of a row or a tab, and the way back, leave what has been typed as it is, and never
    /// have secrets.
    let isWhole: Bool
    package var fields: [String: String] = [:]
    package var secrets: [String: Secret<String>] = [:]

    package init(layer: String, action: String, label: String, isWhole: Bool) {
        (self.layer, self.action, self.label, self.isWhole) = (layer, action, label, isWhole)
    }
}
