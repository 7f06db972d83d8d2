import SceneContent

/// What a reader searches for in lists, how they are sorted, and what of them is shown: all of it stands in the address, so
/// that it can be kept, sent to others, and loaded again.
package struct ListQuery: Hashable, Sendable {
    /// The parts of the application, by the names that addresses have.
    package enum Part: String, Sendable, CaseIterable {
        case problems, sessions, workers, plugins, entries
    }

    /// The longest text that is searched for, in bytes.
    package static let maximumText = 200
    /// The longest name of a column, in bytes.
    private static let maximumSort = 32
    private static let maximumPage = 1_000_000

    /// What rows must have in them; empty for all rows.
    package var text = ""
    /// The column by which rows are sorted; `nil` for the order of the list.
    package var sort: String?
    package var isDescending = false
    /// The only part that is shown; `nil` for the beginning of each.
    package var only: Part?
    /// The page of a long list, from 1 on.
    package var page = 1

    package init() {}

    /// Reads the values of an address. What makes no sense is left out, and what is too long is cut.
    package init(_ value: (String) -> String?) {
        text = value("q").map(Self.search) ?? ""
        if let sort = value("sort"), !sort.isEmpty, sort.utf8.count <= Self.maximumSort {
            isDescending = sort.hasPrefix("-")
            self.sort = isDescending ? String(sort.dropFirst()) : sort
        }
        only = value("only").flatMap(Part.init(rawValue:))
        page = value("page").flatMap { Int($0) }.map { max(1, min($0, Self.maximumPage)) } ?? 1
    }

    /// A text as it is searched for: on one line, without spaces around it, and not too long.
    private static func search(_ text: String) -> String {
        let line = HTMLText.line(text).drop { $0 == " " }
        guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
        return String(line[...last]).cut(toBytes: maximumText)
    }

    /// The address of a page with this query.
    func address(_ path: String) -> String {
        var pairs: [(FormName.Query, String)] = []
        if !text.isEmpty { pairs.append((.text, text)) }
        if let sortText { pairs.append((.sort, sortText)) }
        if let only { pairs.append((.only, only.rawValue)) }
        if page > 1 { pairs.append((.page, "\(page)")) }
        guard !pairs.isEmpty else { return path }
        return path + "?" + pairs.map { "\($0.rawValue)=\(PagePath.part($1))" }.joined(separator: "&")
    }

    /// The order as the address has it, such as `-name`; `nil` for that of the list.
    var sortText: String? { sort.map { (isDescending ? "-" : "") + $0 } }

    /// The query with which a column's name sorts: first ascending, then descending, then not at all.
    func sorting(by column: String) -> ListQuery {
        var query = self
        query.page = 1
        switch (sort == column, isDescending) {
        case (false, _): (query.sort, query.isDescending) = (column, false)
        case (true, false): query.isDescending = true
        case (true, true): (query.sort, query.isDescending) = (nil, false)
        }
        return query
    }

    /// The same query for one part, or for all.
    func showing(_ only: Part?) -> ListQuery {
        var query = self
        (query.only, query.page) = (only, 1)
        return query
    }
}

extension PageID {
    /// A part of the application, to which its heading leads.
    init(_ part: ListQuery.Part) { text = part.rawValue }

    /// A row of a part of the application, to which an address can lead.
    init(_ part: ListQuery.Part, row: String) { text = "\(part.rawValue)~\(PageKey(row).text)" }
}
