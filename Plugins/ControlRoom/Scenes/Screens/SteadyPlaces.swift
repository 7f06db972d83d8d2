/// The places of elements in a list that is shown again and again: each keeps its place as long as it is in the list, and a new
/// one takes the place of one that is not.
struct SteadyPlaces<ID: Hashable> {
    private(set) var ids: [ID] = []

    /// Says which elements the list has now, in any order.
    mutating func update(_ wanted: [ID]) {
        let known = Set(ids)
        let kept = Set(wanted)
        var new = wanted.filter { !known.contains($0) }[...]
        ids = ids.compactMap { kept.contains($0) ? $0 : new.popFirst() } + new
    }
}
