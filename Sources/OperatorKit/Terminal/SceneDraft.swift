/// What a person has typed in the fields of a layer and not sent yet, so that the scene stores it.
package struct SceneDraft: Hashable, Sendable {
    /// The key of the layer.
    package let layer: String
    /// The texts by the names of their fields.
    package let fields: [String: String]
}
