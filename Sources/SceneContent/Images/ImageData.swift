/// The bytes of an image, with what is known of it before it is drawn.
///
/// Its hash is computed when it is made. So a screen that shows a large image keeps one, and makes none each time that it is
/// read.
public struct ImageData: Hashable, Sendable {
    /// The bytes; none if the image is not shown.
    public let bytes: [UInt8]
    /// The SHA-256 of the bytes as 64 hexadecimal digits, by which surfaces ask for them; empty if the image is not shown.
    public let hash: String
    /// Why surfaces do not show the image; `nil` if they do.
    public let problem: String?
    let header: ImageHeader?

    /// Takes bytes that are an image, whatever they may be.
    public init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        do throws(ImageProblem) {
            guard bytes.count <= ContentBounds.image else { throw .tooLarge(bytes: bytes.count) }
            header = try ImageHeader(bytes)
            (self.bytes, hash, problem) = (bytes, HexDigits.sha256(of: bytes), nil)
        } catch {
            (self.bytes, hash, problem, header) = ([], "", error.description, nil)
        }
    }

    /// The type of the bytes as their beginning says it, such as `image/png`; `nil` if the image is not shown.
    public var mediaType: String? { header?.format.rawValue }

    // Two images with one hash are the same, so there is no need to look at half a megabyte.
    public static func == (left: ImageData, right: ImageData) -> Bool {
        left.hash == right.hash && left.problem == right.problem
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
