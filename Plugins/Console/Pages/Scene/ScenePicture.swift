package import SceneContent

/// What the page of a scene shows: the content, and how its session is.
package struct ScenePicture: Hashable, Sendable {
    /// What the scene shows, or showed last.
    package var layers: SceneLayers
    /// How the session is, in few words such as `running`; see ``SessionWords``.
    package var state: String
    /// Whether the content is that of a running scene. An older one is dimmed.
    package var isLive: Bool
    /// Since when the session is in this state, in seconds since 1970; `nil` if that is not known.
    package var since: Double?
    /// Why the scene does not run; `nil` when there is no problem.
    package var problem: String?
    /// What the reader can do while the scene does not run; `nil` for nothing.
    package var advice: String?

    package init(
        layers: SceneLayers, state: String, isLive: Bool, since: Double? = nil, problem: String? = nil,
        advice: String? = nil
    ) {
        self.layers = layers
        self.state = state
        self.isLive = isLive
        self.since = since
        self.problem = problem
        self.advice = advice
    }
}

/// What the reader of a page may do with a scene.
package enum SceneAccess: Hashable, Sendable, CaseIterable {
    /// May perform its actions.
    case use
    /// May see it. The page has no buttons, and shows the values of the fields as text.
    case view
}
