extension Array {
    /// Returns the first index behind the elements for which a condition holds. They come before all others.
    func firstIndex(behind holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
