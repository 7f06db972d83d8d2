import SceneContent

/// The layer in which a block is drawn, and for whom.
struct LayerPlace {
    let key: PageKey
    /// The page, below whose address the images are.
    let address: SceneAddress
    let access: SceneAccess
    /// What the fields have instead of their values, by their names.
    var typed: [String: String] = [:]

    /// Whether a block is drawn. Who may not perform actions sees none.
    func shows(_ node: ContentNode) -> Bool {
        access == .use || node["type"]?.text != ActionBlock.type
    }
}
