package import ConsolePages

/// Where a page shows a scene, and what its reader may do there.
package struct SceneView: Hashable, Sendable {
    package let address: SceneAddress
    package let access: SceneAccess

    package init(address: SceneAddress, access: SceneAccess) {
        self.address = address
        self.access = access
    }

    /// Whether everybody reads the page.
    var isPublic: Bool { if case .wall = address { true } else { false } }
}
