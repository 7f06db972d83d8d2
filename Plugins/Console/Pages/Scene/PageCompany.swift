/// Who else looks at the scene of a page. Each reader has another one, so it is no part of the picture.
package struct PageCompany: Hashable, Sendable {
    /// How many are named.
    package static let named = 5

    /// Those who are named. One of them may stand for several, such as "2 × browser".
    package var names: [String]
    /// How many there are beside those.
    package var more: Int

    package init(_ names: [String] = [], more: Int = 0) { (self.names, self.more) = (names, more) }

    /// The event that shows it in a page, for the page's script.
    package var event: String {
        var writer = HTMLWriter()
        write(to: &writer)
        var json = ""
        JSONText.append(writer.markup, to: &json)
        return "event: company\ndata: \(json)\n\n"
    }

    /// Writes its line. It is there also for nobody, so that nothing moves when somebody comes, and it is read when the reader
    /// comes to it: who comes and goes is no reason to interrupt anybody.
    func write(to writer: inout HTMLWriter) {
        writer.element(.p, .id(PageID("company"))) { writer in
            guard !names.isEmpty || more > 0 else { return }
            writer.text("Also here: ")
            for (index, name) in names.enumerated() {
                if index > 0 { writer.text(", ") }
                writer.isolated(name)
            }
            if more > 0 { writer.text("\(names.isEmpty ? "" : ", ")\(more) more") }
        }
    }
}
