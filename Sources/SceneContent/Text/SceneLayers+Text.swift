import Messaging

extension SceneLayers {
    /// The layer that takes input as text for a terminal, with the titles of those below it. Nothing in it acts on the terminal.
    /// - Parameter width: the columns of a line, at least 10.
    public func text(width: Int = 80) -> String {
        guard let top else { return "" }
        return top.lines(TextForm(width: width), over: below).map(\.text).joined(separator: "\n")
    }

    /// The titles of the layers below the one that takes input, the lowest first.
    package var below: [String] { layers.dropLast().map(\.title).filter { !$0.isEmpty } }
}

extension ContentLayer {
    /// The layer as text for a terminal, in which nothing acts on the terminal.
    /// - Parameter width: the columns of a line, at least 10.
    public func text(width: Int = 80) -> String {
        lines(TextForm(width: width)).map(\.text).joined(separator: "\n")
    }

    /// The lines of the layer: its title, its tabs, the way back and its blocks.
    /// - Parameters:
    ///   - titles: those of the layers below it.
    ///   - blocks: the layer's blocks, if they have been read already.
    ///   - lines: makes the lines of a block; `nil` for the ones of its text form.
    package func lines(
        _ form: TextForm, over titles: [String] = [], blocks: [(key: String, block: ContentBlock)]? = nil,
        ofBlock lines: (_ key: String, _ block: ContentBlock) -> [TextLine]? = { _, _ in nil }
    ) -> [TextLine] {
        var groups = [heading(form, over: titles), navigation(form)].filter { !$0.isEmpty }
        var before: ContentBlock?
        for (key, block) in blocks ?? self.blocks {
            let new = lines(key, block) ?? block.lines(form, key: key)
            guard !new.isEmpty else { continue }
            if let before, block.follows(before) {
                groups[groups.count - 1] += new
            } else {
                groups.append(new)
            }
            before = block
        }
        return Array(groups.joined(separator: [TextLine("")]))
    }

    private func heading(_ form: TextForm, over titles: [String]) -> [TextLine] {
        var lines: [TextLine] = []
        if !title.isEmpty { lines += TextLine.heading(title, rule: "=", width: form.width) }
        if !titles.isEmpty {
            lines += TextLine.lines("over " + titles.joined(separator: " > "), width: form.width, .faint)
        }
        return lines
    }

    private func navigation(_ form: TextForm) -> [TextLine] {
        var lines: [TextLine] = []
        for tab in tabs {
            let name = form.showsNames ? "[\(tab.action)] " : ""
            lines += TextLine.lines(
                "\(tab.isSelected ? "*" : "-") \(name)\(tab.label)", width: form.width, indent: 2,
                tab.isSelected ? .heading : .plain, part: .tab(tab.action))
        }
        if let back {
            let text = form.showsNames ? "[\(back.name)] \(back.label)" : "< \(back.label)  (Escape)"
            lines += TextLine.lines(text, width: form.width, indent: 2, .faint)
        }
        return lines
    }
}
