/// A number of places of which each owner may have a few, such as the streams of the console's browsers.
package struct Places<Owner: Hashable & Sendable>: Sendable {
    /// Why there is no place.
    package enum Refusal: Hashable, Sendable {
        /// The owner has as many as it may have.
        case own
        /// All are taken.
        case all
    }

    private let total: Int
    private let each: Int
    /// How many are taken.
    package private(set) var count = 0
    private var counts: [Owner: Int] = [:]

    /// - Parameters:
    ///   - total: the number of places.
    ///   - each: the number that an owner may have.
    package init(total: Int, each: Int) {
        self.total = total
        self.each = each
    }

    /// Who has a place.
    package var owners: [Owner] { Array(counts.keys) }

    /// Takes a place.
    /// - Returns: why there is none; `nil` if it was taken.
    package mutating func take(_ owner: Owner) -> Refusal? {
        guard counts[owner, default: 0] < each else { return .own }
        guard count < total else { return .all }
        counts[owner, default: 0] += 1
        count += 1
        return nil
    }

    /// Gives a place back that was taken.
    package mutating func leave(_ owner: Owner) {
        guard let own = counts[owner] else { return }
        counts[owner] = own == 1 ? nil : own - 1
        count -= 1
    }
}
