import ConsoleModel
import Testing

/// Which images of scenes the console keeps.
@Suite(.timeLimit(.minutes(5)))
struct ImageCacheTests {
    private static let unit = 16 << 10

    private func key(_ session: String, _ hash: String) -> ImageCache<String>.Key {
        .init(session: session, hash: hash)
    }

    @Test("An image is found for its session alone, and is replaced by its key")
    func sessions() {
        var cache = ImageCache<String>()
        cache.keep("one", bytes: 100, as: key("a", "1"))
        #expect(cache.find(key("a", "1")) == "one")
        #expect(cache.find(key("b", "1")) == nil)
        cache.keep("two", bytes: 2 * Self.unit, as: key("a", "1"))
        #expect(cache.find(key("a", "1")) == "two")
        #expect(cache.size == 2 * Self.unit)
    }

    @Test("The images that were used least recently give way, those of the session first")
    func leastRecentlyUsed() {
        var cache = ImageCache<String>(limit: 4 * Self.unit, limitOfSession: 2 * Self.unit)
        for (session, hash) in [("a", "1"), ("b", "1"), ("a", "2")] {
            cache.keep(hash, bytes: 1, as: key(session, hash))
        }
        #expect(cache.find(key("a", "1")) == "1")
        cache.keep("3", bytes: Self.unit, as: key("a", "3"))
        #expect(cache.find(key("a", "2")) == nil)
        #expect(cache.find(key("a", "1")) != nil && cache.find(key("a", "3")) != nil)
        // Of all sessions, this one has not been used for the longest time.
        cache.keep("1", bytes: 1, as: key("c", "1"))
        cache.keep("2", bytes: 1, as: key("c", "2"))
        #expect(cache.find(key("b", "1")) == nil)
        #expect(cache.find(key("a", "1")) != nil && cache.find(key("c", "1")) != nil)
        #expect(cache.size == 4 * Self.unit)
    }

    @Test("No number of images and no image takes more than there is room for")
    func room() {
        var cache = ImageCache<String>(limit: 8 * Self.unit, limitOfSession: 4 * Self.unit)
        cache.keep("large", bytes: 4 * Self.unit + 1, as: key("a", "large"))
        #expect(cache.find(key("a", "large")) == nil && cache.size == 0)
        for number in 0..<1000 {
            cache.keep("", bytes: number * 50, as: key("\(number % 7)", "\(number)"))
            #expect(cache.size <= 8 * Self.unit)
        }
    }
}
