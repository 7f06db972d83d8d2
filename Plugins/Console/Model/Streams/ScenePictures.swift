package import ConsolePages
import SceneContent

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

    private struct Kept {
        let number: UInt64
        let picture: ScenePicture
        /// What it takes in memory beside the next one.
        var cost = 0
    }

    /// The number of pictures that are kept, and what the earlier ones may take: a page whose picture is not kept gets the whole.
    private static let kept = (count: 8, cost: 1 << 20)
    /// The number while there is little room. Most pages show the one before the newest.
    private static let keptInShortRoom = 2

    /// Tells the pictures from those of an earlier watching of the same scene.
    private let life: String
    /// The oldest first. Parts that they have in common are in memory once.
    private var pictures: [Kept] = []
    /// What the earlier pictures take in memory beside the newest one, roughly, in bytes.
    package private(set) var earlierCost = 0
    private var images = NamedImages()

    /// - Parameter life: a text that no other watching of the scene has, of letters and digits.
    package init(life: String) { self.life = life }

    /// Adds the newest picture, which is made of the one before: see ``SceneLayers/sharing(with:)``.
    /// - Parameter isRoomShort: whether fewer pictures are kept.
    /// - Returns: whether it differs from the one before.
    package mutating func add(_ picture: ScenePicture, isRoomShort: Bool = false) -> Bool {
        guard let last = pictures.last else {
            pictures = [Kept(number: 1, picture: picture)]
            images.add(picture.layers)
            return true
        }
        guard picture != last.picture else { return false }
        let cost = last.picture.layers.cost(beside: picture.layers)
        pictures[pictures.count - 1].cost = cost
        earlierCost += cost
        pictures.append(Kept(number: last.number + 1, picture: picture))
        let count = isRoomShort ? Self.keptInShortRoom : Self.kept.count
        while pictures.count > count || earlierCost > Self.kept.cost {
            earlierCost -= pictures.removeFirst().cost
        }
        images.add(picture.layers)
        return true
    }

    /// Forgets all pictures but the newest one.
    package mutating func forgetEarlier() {
        pictures = pictures.suffix(1)
        earlierCost = 0
    }

    /// The newest picture and its revision; `nil` before the first one.
    package var newest: (picture: ScenePicture, revision: String)? {
        pictures.last.map { ($0.picture, revision(of: $0.number)) }
    }

    /// Whether one of the last pictures has an image, also one that is not kept any more.
    package func haveShown(image hash: String) -> Bool { images.contains(hash) }

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
