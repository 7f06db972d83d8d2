import Messaging
import SceneContent

/// A scene in a terminal: what is drawn of it, and which of its lines are seen.
package struct SceneView: Sendable {
    private var scene: WatchedScene
    package private(set) var form = SceneForm()
    private var size: TerminalScreen.Size
    /// The first line that is seen.
    private var top = 0
    private var picture = ScenePicture()

    package init(session: String, size: TerminalScreen.Size) {
        scene = WatchedScene(session: session)
        self.size = size
        layOut()
    }

    // MARK: - Events

    /// Shows what the scene shows now. The lines stay where they are, unless the part with the focus would be lost from view.
    package mutating func show(_ scene: WatchedScene) {
        let isOther = scene.layers.top?.key != form.layer?.key
        let sawFocus = picture.focus.map { $0.overlaps(seen) } ?? false
        self.scene = scene
        form.show(scene.layers, isLive: scene.isLive)
        if isOther { top = 0 }
        layOut()
        if isOther || sawFocus { reveal() }
    }

    package mutating func resize(to size: TerminalScreen.Size) {
        self.size = size
        layOut()
        reveal()
    }

    /// Handles a key.
    /// - Returns: what must be done; `nil` for nothing but to draw the screen again.
    package mutating func handle(_ key: TerminalKey) -> SceneForm.Action? {
        let action = form.handle(key)
        layOut()
        switch action {
        case .scrollLines(let count)?: scroll(by: count)
        case .scrollPages(let count)?: scroll(by: count * max(1, height - 1))
        case .scrollToStart?: scroll(by: -top)
        case .scrollToEnd?: scroll(by: picture.lines.count)
        case .perform?, .leave?: break
        case nil: reveal()
        }
        return action
    }

    /// What has been typed and not passed on yet; see ``SceneForm/takeTyped()``.
    package mutating func takeTyped() -> SceneDraft? { form.takeTyped() }

    /// Notes how it has ended that something was passed on.
    package mutating func finish(_ draft: SceneDraft, error: String?, isRefusal: Bool = false) {
        form.finish(draft, error: error, isRefusal: isRefusal)
        layOut()
    }

    /// Notes how something has ended that was performed.
    package mutating func finish(_ submission: SceneSubmission, error: String?, isRefusal: Bool = false) {
        form.finish(submission, error: error, isRefusal: isRefusal)
        layOut()
    }

    // MARK: - Lines

    /// The rows of the scene. The last row of the terminal is that of the status.
    private var height: Int { size.rows - 1 }

    private var seen: Range<Int> { top..<top + height }

    private mutating func layOut() {
        picture = ScenePicture(scene.layers, form, width: size.columns - TerminalScreen.gutter, after: picture)
        scroll(by: 0)
    }

    private mutating func scroll(by count: Int) {
        top = max(0, min(top + count, picture.lines.count - height))
    }

    /// Scrolls as far as needed to see the part with the focus: all of it if there is room, and its caret if it has one.
    private mutating func reveal() {
        guard var range = picture.focus else { return }
        if range.count > height, let caret = picture.caret { range = caret.row..<caret.row + 1 }
        if range.upperBound > seen.upperBound { top = range.upperBound - height }
        if range.lowerBound < top { top = range.lowerBound }
        scroll(by: 0)
    }

    // MARK: - Screen

    /// What the terminal shows.
    package var screen: TerminalScreen {
        var screen = TerminalScreen(size)
        for (row, line) in picture.lines.dropFirst(top).prefix(height).enumerated() {
            let hasFocus = line.part != nil && line.part == form.focus
            screen.draw(line, row: row, hasFocus: hasFocus, isFirst: picture.focus?.lowerBound == top + row)
            // An older picture is not taken for one of now.
            if !scene.isLive { screen.restyle(row: row) { $0.isDim = true } }
        }
        if let caret = picture.caret, seen.contains(caret.row) {
            screen.caret = TerminalScreen.Place(row: caret.row - top, column: caret.column + TerminalScreen.gutter)
        }
        drawStatus(in: &screen)
        return screen
    }

    private func drawStatus(in screen: inout TerminalScreen) {
        let row = size.rows - 1
        let status = form.status
        let style = TerminalStyle(
            isBold: status != nil, isReversed: true, color: status?.isError == true || !scene.isLive ? .red : nil)
        let help = status == nil && scene.isLive ? form.help : ""
        let column = size.columns - help.displayWidth - 1
        // What the keys do is told as long as there is room for how many others are here.
        let left =
            status?.text
            ?? [3, 1, 0].lazy.map { scene.status(naming: $0) }.first { column > $0.printable.displayWidth + 3 }
            ?? scene.status(naming: 3)
        let room = help.isEmpty || column <= left.printable.displayWidth + 3 ? size.columns - 2 : column - 2
        screen.restyle(row: row) { $0 = style }
        screen.put(left.printable.cut(to: max(1, room)), at: .init(row: row, column: 1), style)
        if room == column - 2 { screen.put(help, at: .init(row: row, column: column), style) }
    }
}

extension SceneForm {
    /// What the keys do, for people.
    fileprivate var help: String {
        var help = ["Tab: next"]
        switch focusedField?.kind {
        case nil: help.append("Enter: do it")
        case .lines?: break
        case _?: if let action = actionOfFields { help.append("Enter: \(action.label.printable.cut(to: 20))") }
        }
        if layer?.back != nil { help.append("Escape: back") }
        help.append(focusedField == nil ? "q: leave" : "Ctrl-C: leave")
        return help.joined(separator: "  ")
    }
}

extension WatchedScene {
    /// The session and its state, for people.
    /// - Parameter count: how many of the others are named.
    fileprivate func status(naming count: Int) -> String {
        let words = state.map(\.rawValue) ?? "the host is away"
        let start = since > 0 && !isLive ? " since \(Quantity(since, .time).text)" : ""
        let company = company.line(naming: count).map { "  \($0)" } ?? ""
        return "\(session)  \(words)\(start)\(problem.map { ": \($0)" } ?? "")\(company)"
    }
}

extension TerminalScreen {
    /// The columns before each line of a scene, in which the focus is marked.
    fileprivate static let gutter = 2

    fileprivate mutating func draw(_ line: TextLine, row: Int, hasFocus: Bool, isFirst: Bool) {
        var style: TerminalStyle =
            switch line.tone {
            case .plain: line.part == nil ? .plain : TerminalStyle(color: .cyan)
            case .heading: TerminalStyle(isBold: true)
            case .faint: TerminalStyle(isDim: true)
            case .good: TerminalStyle(color: .green)
            case .warning: TerminalStyle(color: .yellow)
            case .error, .destructive: TerminalStyle(color: .red)
            case .main: TerminalStyle(isBold: true, color: .cyan)
            }
        if hasFocus {
            if isFirst { put(">", at: Place(row: row, column: 0), TerminalStyle(isBold: true)) }
            style.isReversed = true
        }
        put(line.text, at: Place(row: row, column: Self.gutter), style)
    }
}
