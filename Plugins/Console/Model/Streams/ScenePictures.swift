package import ConsolePages

/// The last pictures of a scene, by their revisions, so that a page gets what has changed since the one that it shows.
///
/// A page that is slow gets the newest picture next, and none in between.
package struct ScenePictures: Sendable {
    /// The picture that a page is to show after another one.
    package struct Step: Hashable, Sendable {
        /// The picture that the page shows; `nil` if it is not known any more.
        package let old: ScenePicture?
        /// The number of that picture; 0 for `nil`.
        package let from: UInt64
        package let new: ScenePicture
        package let revision: String
        package let number: UInt64
    }

    /// The number of pictures that are kept. Parts that they have in common are in memory once.
    private static let kept = 8

    /// Tells the pictures from those of an earlier watching of the same scene.
    private let life: String
    private var pictures: [(number: UInt64, picture: ScenePicture)] = []

    /// - Parameter life: a text that no other watching of the scene has, of letters and digits.
    package init(life: String) { self.life = life }

    /// Adds the newest picture.
    /// - Returns: whether it differs from the one before.
    package mutating func add(_ picture: ScenePicture) -> Bool {
        guard picture != pictures.last?.picture else { return false }
        let number = (pictures.last?.number ?? 0) + 1
        if pictures.count == Self.kept { pictures.removeFirst() }
        pictures.append((number, picture))
        return true
    }

    /// The newest picture and its revision; `nil` before the first one.
    package var newest: (picture: ScenePicture, revision: String)? {
        pictures.last.map { ($0.picture, revision(of: $0.number)) }
    }

    private func revision(of number: UInt64) -> String { "\(life).\(number)" }

    /// The number of the picture with a revision; 0 if it is none of this watching.
    package func number(of revision: String?) -> UInt64 {
        let parts = (revision ?? "").split(separator: ".")
        guard parts.count == 2, parts[0] == life[...], let number = UInt64(parts[1]) else { return 0 }
        return number
    }

    /// What a page has to show next.
    /// - Parameter known: the number of the picture that it shows; 0 for none.
    /// - Returns: `nil` if it shows the newest picture, or there is none yet.
    package func step(after known: UInt64) -> Step? {
        guard let last = pictures.last, last.number != known else { return nil }
        let old = pictures.last { $0.number == known }
        return Step(
            old: old?.picture, from: old?.number ?? 0, new: last.picture, revision: revision(of: last.number),
            number: last.number)
    }
}
