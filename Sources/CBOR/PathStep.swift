/// One step of a coding path: a map's key or an array's index.
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

    /// The default key of the value that a class's superclass encodes.
    static let `super` = PathStep.key("super")
}
