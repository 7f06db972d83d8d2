import Synchronization

/// The memory that all scenes have together for what their pages can do without: earlier pictures, and what is drawn for several.
package final class PictureRoom: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    /// - Parameter limit: the number of bytes.
    package init(limit: Int = 128 << 20) { self.limit = limit }

    /// The bytes that are taken.
    package var bytes: Int { taken.withLock { $0 } }

    /// Whether more than half is taken, so that all keep less, and not only those who come last.
    var isShort: Bool { bytes > limit / 2 }

    /// Takes room for some bytes more, or gives it back for less than none.
    /// - Returns: whether there was room.
    func take(_ bytes: Int) -> Bool {
        taken.withLock { taken in
            guard bytes <= 0 || taken + bytes <= limit else { return false }
            taken += bytes
            return true
        }
    }
}
