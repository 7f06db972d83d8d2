import Bus

/// The pages in which operators' lists are sent.
enum ListPages {
    /// The maximum number of items on a page, and its approximate maximum size in bytes.
    static let maximumLength = 500
    static let maximumSize = 256 << 10

    /// Returns the length of a page for the requested limit.
    static func length(_ limit: Int?) -> Int { min(max(limit ?? maximumLength, 1), maximumLength) }

    /// Returns the numbers on a page, each with whether it is the last one of all.
    static func page(
        of numbers: some Collection<UInt64>, after: String?, limit: Int?
    ) throws -> [(id: UInt64, isLast: Bool)] {
        let first = try after.map { text in
            guard let number = UInt64(text) else { throw SceneCommandError.unknownPage(text) }
            return number
        }
        let all = numbers.filter { number in first.map { number > $0 } ?? true }.sorted()
        return all.prefix(length(limit)).map { ($0, $0 == all.last) }
    }
}

extension SceneCommandError {
    static func unknownPage(_ text: String) -> SceneCommandError {
        SceneCommandError(
            .refused, "no page ends at '\(text.prefix(64))'; ask for the first one, and then after its 'next'")
    }
}
