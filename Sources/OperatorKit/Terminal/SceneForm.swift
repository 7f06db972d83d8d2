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
        let submission: SceneSubmission
        let text: String
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
    private var typed = TypedTexts()
    /// What has been passed on of what was typed in the layer, by the fields' names.
    private var passedOn: [String: String] = [:]
    private var question: Question?
    /// What is on its way.
    private var sent: SceneSubmission?
    /// What the last key or action has led to, until the next key.
    private var notice: String?

    package init() {}

    // MARK: - Content

    /// Shows a content. What has been typed stays, and so does the focus if its part is still there.
    package mutating func show(_ layers: SceneLayers) {
        let new = layers.top
        guard new != layer else { return }
        let isOther = new?.key != layer?.key
        let position = focus.flatMap { parts.firstIndex(of: $0) } ?? lostPosition
        let newBlocks = new?.blocks ?? []
        if !isOther { giveWay(to: newBlocks) }
        layer = new
        blocks = newBlocks
        parts = new.map { $0.parts(of: blocks) } ?? []
        typed.keepSecrets(of: new?.key)
        if isOther {
            passedOn = [:]
            focus = parts.first
            lostPosition = nil
        } else if let part = focus, !parts.contains(part) {
            // The part that takes its place is another one: a key that is on its way must not reach it.
            focus = nil
            lostPosition = position
        } else if focus == nil, lostPosition == nil {
            focus = parts.first
        }
        for case (_, .field(let field)) in blocks
        where field != focusedField && typedInput(of: field)?.text == field.value {
            // The scene says it itself, and may say something else later.
            typed.remove(place(of: field))
        }
        if let question, isOther || !offers(question.submission) {
            self.question = nil
            notice = "'\(question.submission.label)' is not offered any more"
        }
    }

    /// Forgets the texts that the scene has taken over and says no longer: what it says now is newer, whoever has the focus.
    private mutating func giveWay(to newBlocks: [(key: String, block: ContentBlock)]) {
        var values: [String: String] = [:]
        for case (_, .field(let field)) in newBlocks { values[field.name] = field.value }
        for case (_, .field(let field)) in blocks where typedInput(of: field)?.text == field.value {
            if let value = values[field.name], value != field.value { typed.remove(place(of: field)) }
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

    /// The value of a field: what has been typed, or else what the scene says.
    package func value(of field: FieldBlock) -> String { typedInput(of: field)?.text ?? field.value }

    /// The text of a field while it is typed.
    package func input(of field: FieldBlock) -> TextInput { typedInput(of: field) ?? TextInput(field.value) }

    private func typedInput(of field: FieldBlock) -> TextInput? {
        typed.text(at: place(of: field), isSecret: field.kind == .secret)
    }

    /// Returns what has been typed since the last call and the scene does not have yet, so that others can see it and it is not
    /// lost with this terminal: the layer's key, and the values of its fields.
    /// - Returns: `nil` for nothing. What is private stays here.
    package mutating func takeTyped() -> (layer: String, fields: [String: String])? {
        guard let layer else { return nil }
        var fields: [String: String] = [:]
        for case (_, .field(let field)) in blocks where !field.isPrivate {
            guard let text = typedInput(of: field)?.text, text != field.value, text != passedOn[field.name] else {
                continue
            }
            fields[field.name] = text
        }
        passedOn.merge(fields) { $1 }
        return fields.isEmpty ? nil : (layer.key, fields)
    }

    private func place(of field: FieldBlock) -> TypedTexts.Place {
        TypedTexts.Place(layer: layer?.key ?? "", field: field.name)
    }

    // MARK: - Status

    /// What the person must know now; `nil` for nothing.
    package var status: (text: String, isError: Bool)? {
        if let question { return ("\(question.text) (y/n)", false) }
        if let notice { return (notice, true) }
        return sent.map { ("'\($0.label)' is on its way…", false) }
    }

    /// Notes that what was performed has ended.
    /// - Parameter error: why it has failed; `nil` if it has not. What was typed stays then.
    package mutating func finish(_ submission: SceneSubmission, error: String?) {
        guard sent == submission else { return }
        sent = nil
        if let error { notice = error } else if submission.isWhole { typed.remove(submission) }
    }

    // MARK: - Keys

    /// Handles a key.
    package mutating func handle(_ key: TerminalKey) -> Action? {
        notice = nil
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
            return send(asked.submission)
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

    /// The action that Enter performs in a field, as in the forms of a browser: the main one, or else the first one that takes
    /// nothing away; `nil` if there is none, so that Enter goes on to the next part.
    package var actionOfFields: ActionBlock? {
        let actions = blocks.compactMap { _, block -> ActionBlock? in
            if case .action(let action) = block, action.unavailable == nil { action } else { nil }
        }
        return actions.first { $0.style == .main } ?? actions.first { $0.style != .destructive }
    }

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

    /// - Parameter isWhole: whether all fields are sent, and have been dealt with when it has succeeded. Otherwise only what has been
    ///   typed goes along.
    private mutating func perform(_ action: ActionBlock, isWhole: Bool) -> Action? {
        if let reason = action.unavailable {
            notice = reason.isEmpty ? "'\(action.label)' is not available" : reason
            return nil
        }
        var submission = SceneSubmission(
            layer: layer?.key ?? "", action: action.name, label: action.label, isWhole: isWhole)
        for case (_, .field(let field)) in blocks {
            if field.kind != .secret {
                submission.fields[field.name] = isWhole ? value(of: field) : typedInput(of: field)?.text
            } else if isWhole {
                submission.secrets[field.name] = Secret(value(of: field))
            }
        }
        guard action.confirmation.isEmpty else {
            question = Question(submission: submission, text: action.confirmation)
            return nil
        }
        return send(submission)
    }

    private mutating func send(_ submission: SceneSubmission) -> Action? {
        if let sent {
            notice = "'\(sent.label)' is still on its way"
            return nil
        }
        sent = submission
        return .perform(submission)
    }

    /// Whether the layer still has the action of a submission that was asked about.
    private func offers(_ submission: SceneSubmission) -> Bool {
        let actions = blocks.compactMap { _, block -> ActionBlock? in
            if case .action(let action) = block { action } else { nil }
        }
        return (actions + [layer?.back].compactMap(\.self)).contains {
            $0.name == submission.action && $0.unavailable == nil
        }
    }

    // MARK: - Fields

    private mutating func edit(_ key: TerminalKey) {
        guard let field = focusedField else { return }
        var input = input(of: field)
        switch field.kind {
        case .toggle: field.toggle(&input, key)
        case .choice: field.choose(&input, key)
        default: field.type(&input, key)
        }
        if input != self.input(of: field) { typed.set(input, at: place(of: field), isSecret: field.kind == .secret) }
    }
}
