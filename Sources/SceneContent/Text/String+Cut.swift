extension String {
    /// The text, cut at a character if it has more bytes.
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var bytes = 3
        let part = prefix {
            bytes += $0.utf8.count
            return bytes <= limit
        }
        return part + "…"
    }
}
