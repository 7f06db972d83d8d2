/// Why an image is not shown.
enum ImageProblem: Error, CustomStringConvertible {
    case unknownFormat
    case unknownSize
    case tooLarge(bytes: Int)
    case tooManyPixels(width: Int, height: Int)
    case tooMany
    case tooLargeTogether
    case noAlternative

    var description: String {
        switch self {
        case .unknownFormat:
            "An image is not shown: its bytes are no PNG, JPEG, GIF or WebP. An SVG, which can hold a script, has to be drawn "
                + "as one of these."
        case .unknownSize: "An image is not shown: its bytes do not say how wide and high it is."
        case .tooLarge(let bytes):
            "An image with \(bytes) bytes is not shown: it has at most \(ContentBounds.image)."
        case .tooManyPixels(let width, let height):
            "An image of \(width) x \(height) pixels is not shown: it has at most \(ContentBounds.pixels) pixels."
        case .tooMany: "An image is not shown: a scene shows at most \(ContentBounds.images)."
        case .tooLargeTogether:
            "An image is not shown: all images of a scene have at most \(ContentBounds.imageBytes) bytes together."
        case .noAlternative: "An image is not shown: it needs an alternative text, which says in words what is in it."
        }
    }
}
