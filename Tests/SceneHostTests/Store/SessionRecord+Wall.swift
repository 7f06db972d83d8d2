@testable import SceneHost

extension SessionRecord {
    /// A session of the scene "Wall" without a state.
    static func wall(_ id: String) -> SessionRecord {
        SessionRecord(id: id, role: "windowApplication", configuration: "Wall", position: 1)
    }
}
