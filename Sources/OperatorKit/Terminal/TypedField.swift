import SceneContent

/// A field of a layer into which a person types.
struct TypedField {
    let place: TypedPlace
    let label: String
    /// What the scene says in it.
    let value: String
    let isPrivate: Bool
    let isSecret: Bool

    init(_ field: FieldBlock, in layer: String) {
        place = TypedPlace(layer: layer, field: field.name)
        (label, value, isPrivate) = (field.label, field.value, field.isPrivate)
        isSecret = field.kind == .secret
    }
}

/// Where a field is: its layer, and its name there.
struct TypedPlace: Hashable {
    let layer: String
    let field: String
}
