public import Messaging

extension ScreenContent: CustomStringConvertible {
    /// The content as plain text; see ``text(width:)``.
    public var description: String { text() }

    /// The content as text for a terminal, in the form of the layer that has its blocks. Nothing in it acts on the terminal.
    /// - Parameter width: the columns of a line, at least 10.
    public func text(width: Int = 80) -> String { ContentLayer(self).text(width: width) }
}

extension ContentLayer {
    /// Makes a layer of a plain content.
    package init(_ content: ScreenContent) {
        self.init(key: "screen", title: content.title, blocks: content.blocks)
    }
}
