/// One step on the way from the outermost item to an inner one: a map's key or a place in an array.
enum PathStep: CodingKey {
    case key(String)
    case index(Int)

    var stringValue: String {
        switch self {
        case .key(let name): name
        case .index(let index): "Index \(index)"
        }
    }

    var intValue: Int? {
        switch self {
        case .key: nil
        case .index(let index): index
        }
    }

    init?(stringValue: String) {
        self = .key(stringValue)
    }

    init?(intValue: Int) {
        self = .index(intValue)
    }

    /// The key under which a class keeps what its superclass encodes, unless it names another.
    static let `super` = PathStep.key("super")
}
