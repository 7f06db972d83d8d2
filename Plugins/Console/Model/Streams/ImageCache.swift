/// The images of scenes that pages have asked for last, within a number of bytes.
///
/// An image is kept for its session alone: who may see one scene need not see another one that shows the same.
package struct ImageCache<Image: Sendable>: Sendable {
    package struct Key: Hashable, Sendable {
        package let session: String
        package let hash: String

        package init(session: String, hash: String) {
            self.session = session
            self.hash = hash
        }
    }

    private struct Entry {
        let image: Image
        let size: Int
        /// The number of its last use among all uses.
        var use: UInt64
    }

    /// What an image counts at least. So there are few, and the one to leave out is found by looking at them all.
    private static var least: Int { 16 << 10 }

    private let limit: Int
    private let limitOfSession: Int
    private var entries: [Key: Entry] = [:]
    private var sizes: [String: Int] = [:]
    private var uses: UInt64 = 0
    /// The bytes that are kept.
    package private(set) var size = 0

    /// - Parameters:
    ///   - limit: the bytes of all images.
    ///   - limitOfSession: the bytes of the images of each session.
    package init(limit: Int = 64 << 20, limitOfSession: Int = 8 << 20) {
        self.limit = limit
        self.limitOfSession = min(limit, limitOfSession)
    }

    /// Returns an image that is kept, which counts as a use.
    package mutating func find(_ key: Key) -> Image? {
        guard entries[key] != nil else { return nil }
        uses += 1
        entries[key]?.use = uses
        return entries[key]?.image
    }

    /// Keeps an image. Those that have been used least recently give way, of its session first.
    package mutating func keep(_ image: Image, bytes: Int, as key: Key) {
        remove(key)
        let size = max(bytes, Self.least)
        guard size <= limitOfSession else { return }
        while sizes[key.session, default: 0] + size > limitOfSession { removeLast(of: key.session) }
        while self.size + size > limit { removeLast() }
        uses += 1
        entries[key] = Entry(image: image, size: size, use: uses)
        sizes[key.session, default: 0] += size
        self.size += size
    }

    /// - Parameter session: whose image is removed; `nil` for any.
    private mutating func removeLast(of session: String? = nil) {
        let last = entries.lazy.filter { session == nil || $0.key.session == session }.min {
            $0.value.use < $1.value.use
        }
        if let last { remove(last.key) }
    }

    private mutating func remove(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        size -= entry.size
        let rest = sizes[key.session, default: 0] - entry.size
        sizes[key.session] = rest > 0 ? rest : nil
    }
}
