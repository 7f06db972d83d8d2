import Messaging
package import SceneContent

/// What a person does with the keys of a terminal in the layer of a scene that takes input: which part has the focus, and
/// what has been typed.
package struct SceneForm: Sendable {
    /// What a key leads to outside of the form.
    package enum Action: Hashable, Sendable {
        case perform(SceneSubmission)
        case scrollLines(Int), scrollPages(Int), scrollToStart, scrollToEnd
        case leave
    }

    /// A question that must be answered before an action is performed.
    private struct Question {
        let action: ActionBlock
        let isWhole: Bool
    }

    /// What the last key or action has led to.
    struct Notice {
        var text: String
        /// Whether it stays while the person types on: it says what has become of what was typed.
        var staysWhileTyping = false
    }

    /// The layer that takes input.
    package private(set) var layer: ContentLayer?
    /// The layer's blocks in their order.
    private(set) var blocks: [(key: String, block: ContentBlock)] = []
    /// The parts that can have the focus, in their order.
    private var parts: [TextLine.Part] = []
    /// The part with the focus; `nil` for none.
    package private(set) var focus: TextLine.Part?
    /// Where among the parts the one was that had the focus and is gone, so that the next key moves on from there.
    private var lostPosition: Int?
    var typed = TypedTexts()
    /// Whether the scene runs, as far as is known.
    private(set) var isLive = true
    private var question: Question?
    /// What is on its way.
    package private(set) var sent: SceneSubmission?
    var notice: Notice?

    package init() {}

    // MARK: - Content

    /// Shows a content. What has been typed stays, unless what the scene says is newer, and so does the focus if its part is
    /// still there.
    /// - Parameter isLive: whether the scene runs.
    package mutating func show(_ layers: SceneLayers, isLive: Bool = true) {
        self.isLive = isLive
        if !isLive { typed.holdBack() }
        let new = layers.top
        if new != layer { replaceLayer(with: new) }
        giveWay()
    }

    private mutating func replaceLayer(with new: ContentLayer?) {
        let isOther = new?.key != layer?.key
        let position = focus.flatMap { parts.firstIndex(of: $0) } ?? lostPosition
        layer = new
        blocks = new?.blocks ?? []
        parts = new.map { $0.parts(of: blocks) } ?? []
        typed.keepSecrets(of: new?.key)
        if isOther {
            typed.holdBack(butIn: new?.key)
            focus = parts.first
            lostPosition = nil
        } else if let part = focus, !parts.contains(part) {
            // The part that takes its place is another one: a key that is on its way must not reach it.
            focus = nil
            lostPosition = position
        } else if focus == nil, lostPosition == nil {
            focus = parts.first
        }
        if let question, isOther || !offers(question.action.name) {
            self.question = nil
            notice = Notice(text: "'\(question.action.label)' is not offered any more")
        }
    }

    /// The field with the focus; `nil` if another part has it, or none.
    package var focusedField: FieldBlock? {
        if case .field(let field)? = focusedBlock { field } else { nil }
    }

    private var focusedBlock: ContentBlock? {
        guard case .block(let key)? = focus else { return nil }
        return blocks.first { $0.key == key }?.block
    }

    // MARK: - Status

    /// What the person must know now; `nil` for nothing.
    package var status: (text: String, isError: Bool)? {
        if let question { return ("\(question.action.confirmation) (y/n)", false) }
        if let notice { return (notice.text, true) }
        return sent.map { ("'\($0.label)' is on its way…", false) }
    }

    /// Notes that what was performed has ended.
    /// - Parameters:
    ///   - error: why it has failed; `nil` if it has not. What was typed stays then.
    ///   - isRefusal: whether the scene has refused it, and not only left it without an answer.
    package mutating func finish(_ submission: SceneSubmission, error: String?, isRefusal: Bool = false) {
        guard sent == submission else { return }
        sent = nil
        if let error {
            notice = Notice(text: error)
            if submission.isWhole { takeBack(submission, isRefusal: isRefusal) }
        } else if submission.isWhole {
            typed.remove(submission)
        }
    }

    // MARK: - Keys

    /// Handles a key.
    package mutating func handle(_ key: TerminalKey) -> Action? {
        if question != nil || notice?.staysWhileTyping != true || !key.isTyping { notice = nil }
        if key == .control("c") { return .leave }
        if question != nil { return answer(key) }
        switch key {
        case .tab: return move(by: 1, isCircular: true)
        case .backTab: return move(by: -1, isCircular: true)
        case .down: return move(by: 1, isCircular: false)
        case .up: return move(by: -1, isCircular: false)
        case .pageDown: return .scrollPages(1)
        case .pageUp: return .scrollPages(-1)
        case .escape: return goBack()
        case .enter where focusedField?.kind != .lines: return enter()
        case _ where focusedField != nil:
            edit(key)
            return nil
        case .text("q"): return .leave
        case .home: return .scrollToStart
        case .end: return .scrollToEnd
        default: return nil
        }
    }

    /// Moves the focus. Without a part in this direction, the lines move.
    private mutating func move(by step: Int, isCircular: Bool) -> Action? {
        guard !parts.isEmpty else { return isCircular ? nil : .scrollLines(step) }
        let target: Int
        if let focus, let index = parts.firstIndex(of: focus) {
            target = index + step
        } else {
            // What came after the part that is gone has moved to its place.
            target = lostPosition.map { step > 0 ? $0 : $0 - 1 } ?? (step > 0 ? 0 : parts.count - 1)
        }
        guard isCircular || parts.indices.contains(target) else { return .scrollLines(step) }
        focus = parts[(target + parts.count) % parts.count]
        lostPosition = nil
        return nil
    }

    private mutating func answer(_ key: TerminalKey) -> Action? {
        guard let asked = question else { return nil }
        switch key {
        case .text("y"), .text("Y"):
            question = nil
            return send(submission(of: asked.action, isWhole: asked.isWhole))
        case .text("n"), .text("N"), .escape:
            question = nil
        default: break
        }
        return nil
    }

    private mutating func goBack() -> Action? {
        guard let back = layer?.back else { return nil }
        return perform(back, isWhole: false)
    }

    private mutating func enter() -> Action? {
        switch focus {
        case nil: return nil
        case .tab(let action): return perform(ActionBlock(name: action, label: label(ofTab: action)), isWhole: false)
        case .row(let block, let key): return select(row: key, in: block)
        case .block:
            switch focusedBlock {
            case .action(let action)?: return perform(action, isWhole: true)
            case .field?:
                guard let action = actionOfFields else { return move(by: 1, isCircular: true) }
                return perform(action, isWhole: true)
            default: return nil
            }
        }
    }

    /// The action that Enter performs in a field; `nil` if there is none, so that Enter goes on to the next part.
    package var actionOfFields: ActionBlock? { layer?.defaultAction }

    private func label(ofTab action: String) -> String { layer?.tabs.first { $0.action == action }?.label ?? action }

    private mutating func select(row key: String, in block: String) -> Action? {
        switch blocks.first(where: { $0.key == block })?.block {
        case .list(let list)?:
            guard let row = list.rows.first(where: { $0.key == key }), let action = row.action else { return nil }
            return perform(ActionBlock(name: action, label: row.title), isWhole: false)
        case .table(let table)?:
            guard let row = table.rows.first(where: { $0.key == key }), let action = row.action else { return nil }
            return perform(ActionBlock(name: action, label: row.cells.first?.text ?? key), isWhole: false)
        default: return nil
        }
    }

    /// - Parameter isWhole: whether it deals with what has been typed, also with the secrets, when it has succeeded.
    private mutating func perform(_ action: ActionBlock, isWhole: Bool) -> Action? {
        if let reason = action.unavailable {
            notice = Notice(text: reason.isEmpty ? "'\(action.label)' is not available" : reason)
            return nil
        }
        guard action.confirmation.isEmpty else {
            question = Question(action: action, isWhole: isWhole)
            return nil
        }
        return send(submission(of: action, isWhole: isWhole))
    }

    private mutating func send(_ submission: SceneSubmission) -> Action? {
        if let sent {
            notice = Notice(text: "'\(sent.label)' is still on its way")
            return nil
        }
        sent = submission
        if submission.isWhole { accompany(submission) }
        return .perform(submission)
    }

    /// Whether the layer still has an action that was asked about.
    private func offers(_ name: String) -> Bool {
        let actions = blocks.compactMap { _, block -> ActionBlock? in
            if case .action(let action) = block { action } else { nil }
        }
        return (actions + [layer?.back].compactMap(\.self)).contains { $0.name == name && $0.unavailable == nil }
    }
}
