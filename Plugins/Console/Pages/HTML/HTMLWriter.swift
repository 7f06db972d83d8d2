/// Writes markup. All that it is given as text is escaped, and of elements and attributes it knows those that cannot run a
/// script or restyle the page: ``HTMLTag`` and ``HTMLAttribute``.
struct HTMLWriter {
    /// What has been written.
    private(set) var markup = ""

    /// Writes an element with its content.
    mutating func element(
        _ tag: HTMLTag, _ attributes: HTMLAttribute?..., content: (inout HTMLWriter) -> Void = { _ in }
    ) {
        element(tag, attributes, content: content)
    }

    mutating func element(_ tag: HTMLTag, _ attributes: [HTMLAttribute?], content: (inout HTMLWriter) -> Void) {
        open(tag.rawValue, attributes)
        content(&self)
        markup += "</"
        markup += tag.rawValue
        markup += ">"
    }

    /// Writes an element that has no content.
    mutating func void(_ tag: HTMLVoidTag, _ attributes: HTMLAttribute?...) {
        void(tag, attributes)
    }

    mutating func void(_ tag: HTMLVoidTag, _ attributes: [HTMLAttribute?]) {
        open(tag.rawValue, attributes)
    }

    /// Writes an element with a text in it.
    mutating func element(_ tag: HTMLTag, _ attributes: HTMLAttribute?..., text: String) {
        open(tag.rawValue, attributes)
        self.text(text)
        markup += "</"
        markup += tag.rawValue
        markup += ">"
    }

    /// Writes a text.
    mutating func text(_ text: String) {
        HTMLText.append(text, to: &markup)
    }

    /// Writes a text by somebody else between others: the direction in which it is written does not reach them.
    mutating func isolated(_ text: String) {
        element(.bdi, text: text)
    }

    private mutating func open(_ tag: String, _ attributes: [HTMLAttribute?]) {
        markup += "<"
        markup += tag
        for case let attribute? in attributes {
            markup += " "
            markup += attribute.name.rawValue
            guard let value = attribute.value else { continue }
            markup += "=\""
            HTMLText.append(value, to: &markup)
            markup += "\""
        }
        markup += ">"
    }
}

extension HTMLWriter {
    /// Makes a whole document, with the script and the style of all pages.
    /// - Parameter reload: whether a browser that runs no script loads the page again from time to time.
    static func document(
        title: String, _ attributes: HTMLAttribute?..., reload: Bool = false, body: (inout HTMLWriter) -> Void
    ) -> String {
        var writer = HTMLWriter()
        writer.markup = "<!doctype html>"
        writer.open("html", [.language] + attributes)
        writer.markup += """
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\
            <meta name="color-scheme" content="light dark"><meta name="referrer" content="same-origin">
            """
        if reload { writer.markup += "<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>" }
        writer.markup += "<title>"
        writer.text(title)
        writer.markup += "</title>"
        writer.open("link", [.rel("stylesheet"), .href(.asset(PageAssets.style))])
        writer.open("script", [.source(PageAssets.script), .deferred])
        writer.markup += "</script></head><body>"
        body(&writer)
        writer.markup += "</body></html>\n"
        return writer.markup
    }
}
