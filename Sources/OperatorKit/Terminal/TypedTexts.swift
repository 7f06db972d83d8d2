/// What a person has typed in the fields of a scene and has not sent.
struct TypedTexts: Sendable {
    /// A field of a layer.
    struct Place: Hashable {
        let layer: String
        let field: String
    }

    /// The most texts that are kept. The ones that were typed first are dropped.
    private static let maximum = 200

    private var texts: [Place: TextInput] = [:]
    private var order: [Place] = []
    /// Those that nobody may see.
    private var secrets: Set<Place> = []

    /// Returns what has been typed at a place; `nil` for nothing. What was typed as a secret stays one.
    func text(at place: Place, isSecret: Bool) -> TextInput? {
        secrets.contains(place) == isSecret ? texts[place] : nil
    }

    mutating func set(_ input: TextInput, at place: Place, isSecret: Bool) {
        if texts.updateValue(input, forKey: place) == nil { order.append(place) }
        if isSecret { secrets.insert(place) } else { secrets.remove(place) }
        if order.count > Self.maximum { remove(order[0]) }
    }

    /// Forgets the secrets of all layers but one. Nobody knows whether the others come back.
    mutating func keepSecrets(of layer: String?) {
        for place in secrets where place.layer != layer { remove(place) }
    }

    /// Forgets what has been sent, as far as it was not changed since.
    mutating func remove(_ submission: SceneSubmission) {
        let sent = submission.fields.merging(submission.secrets.mapValues(\.revealed)) { $1 }
        for (field, text) in sent {
            let place = Place(layer: submission.layer, field: field)
            if texts[place]?.text == text { remove(place) }
        }
    }

    mutating func remove(_ place: Place) {
        texts[place] = nil
        secrets.remove(place)
        order.removeAll { $0 == place }
    }
}
