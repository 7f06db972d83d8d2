package import CBOR
package import SceneContent

/// The number of a picture of a scene. A scene that continues elsewhere has another token, and counts anew.
package struct SceneRevision: Codable, Hashable, Sendable {
    /// The fencing token of the scene.
    package var token: UInt64
    /// How often what the scene shows had changed, as its worker has counted while somebody watched.
    package var number: UInt64

    package init(token: UInt64, number: UInt64) {
        self.token = token
        self.number = number
    }
}

/// What a scene shows: the whole, or what has changed since the picture that the asker has.
package struct SceneUpdate: Codable, Hashable, Sendable {
    package var revision: SceneRevision
    /// The whole content.
    package var content: SceneLayers?
    /// The whole content as it is sent, for who sends it to many; `nil` to have it encoded.
    package var encodedContent: CBORRaw?
    /// What has changed. With neither a content nor a difference, nothing has changed.
    package var difference: ContentDifference?

    package init(revision: SceneRevision, content: SceneLayers? = nil, difference: ContentDifference? = nil) {
        self.revision = revision
        self.content = content
        self.difference = difference
    }

    /// How the content is sent does not matter.
    package static func == (a: SceneUpdate, b: SceneUpdate) -> Bool {
        a.revision == b.revision && a.content == b.content && a.difference == b.difference
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(revision)
        hasher.combine(content)
        hasher.combine(difference)
    }

    private enum CodingKeys: String, CodingKey { case revision, content, difference }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(revision, forKey: .revision)
        if let encodedContent {
            try container.encode(encodedContent, forKey: .content)
        } else {
            try container.encodeIfPresent(content, forKey: .content)
        }
        try container.encodeIfPresent(difference, forKey: .difference)
    }
}

/// What a watcher of a scene is told.
package struct SceneNews: Codable, Hashable, Sendable {
    /// What the scene shows, or showed last; `nil` while the host has no picture of it.
    package var update: SceneUpdate?
    package var state: SessionState
    /// Why the scene does not run; `nil` when there is no problem.
    package var problem: String?
    /// Since when it is in this state, as far as the host has watched, in seconds since 1970.
    package var since: Double
    /// Who else watches, to an asker that wants to know; `nil` if that is what it knows.
    package var company: SceneCompany?

    package init(
        update: SceneUpdate?, state: SessionState, problem: String?, since: Double, company: SceneCompany? = nil
    ) {
        self.update = update
        self.state = state
        self.problem = problem
        self.since = since
        self.company = company
    }
}
