/// How much a scene may show. A block beyond its bound becomes a text that says which bound that is.
public enum ContentBounds {
    /// The size of a whole content as CBOR, in bytes.
    public static let bytes = 1 << 20
    public static let layers = 16
    /// The blocks of a layer.
    public static let blocks = 500
    public static let tabs = 32
    /// The rows of a list or a table, and the facts of a block. A longer table is shown in pages.
    public static let rows = 200
    public static let columns = 32
    public static let series = 8
    /// The points of a series.
    public static let points = 3600
    public static let choices = 200
    /// The length of a text, in bytes of UTF-8.
    public static let text = 16 << 10
    /// The nodes of a content: each text, number, list and map is one.
    public static let nodes = 100_000
    /// The length of the text form of a block that a surface does not know, in bytes.
    public static let otherText = 4 << 10
    /// The bytes of an image.
    public static let image = 512 << 10
    /// The pixels of an image, which a surface that draws it has in memory.
    public static let pixels = 1 << 25
    /// The images of a content.
    public static let images = 64
    /// The bytes of all images of a content together, each counted once.
    public static let imageBytes = 4 << 20
}
