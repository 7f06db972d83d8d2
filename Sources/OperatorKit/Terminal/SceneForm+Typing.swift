import Messaging
package import SceneContent

/// What a person types into the fields of a scene, and what becomes of it.
extension SceneForm {
    /// The value of a field: what has been typed, or else what the scene says.
    package func value(of field: FieldBlock) -> String { typedInput(of: field)?.text ?? field.value }

    /// The text of a field while it is typed.
    package func input(of field: FieldBlock) -> TextInput { typedInput(of: field) ?? TextInput(field.value) }

    private func typedInput(of field: FieldBlock) -> TextInput? {
        typed.text(at: place(field.name), isSecret: field.kind == .secret)
    }

    private func place(_ field: String) -> TypedPlace { TypedPlace(layer: layer?.key ?? "", field: field) }

    private var fields: [FieldBlock] {
        blocks.compactMap { _, block in if case .field(let field) = block { field } else { nil } }
    }

    // MARK: - Keys

    mutating func edit(_ key: TerminalKey) {
        guard let field = focusedField else { return }
        var input = input(of: field)
        switch field.kind {
        case _ where key == .control("y"): bringBack(&input, in: field)
        case .toggle: field.toggle(&input, key)
        case .choice: field.choose(&input, key)
        default:
            if !field.type(&input, key) {
                notice = Notice(text: "there is no room for that: a field takes at most \(ContentBounds.text) bytes")
            }
        }
        guard input != self.input(of: field) else { return }
        typed.set(input, in: TypedField(field, in: layer?.key ?? ""), isLive: isLive)
    }

    private func bringBack(_ input: inout TextInput, in field: FieldBlock) {
        if let text = typed.replaced(at: place(field.name)) { input = TextInput(text) }
    }

    // MARK: - Passing on

    /// Whether something has been typed that can be passed on now.
    package var hasTyped: Bool { isLive && fields.contains { typed.isWaiting(at: place($0.name)) } }

    /// Returns what has been typed since the last call and the scene does not have yet, so that others can see it and it is not
    /// lost with this terminal. Whoever passes it on says how that has ended.
    /// - Returns: `nil` for nothing. What is private stays here, and all of it does while the scene does not run: what it says
    ///   when it runs again may be newer.
    package mutating func takeTyped() -> SceneDraft? {
        guard isLive, let layer else { return nil }
        var taken: [String: String] = [:]
        for field in fields {
            if let text = typed.take(place(field.name)) { taken[field.name] = text }
        }
        return taken.isEmpty ? nil : SceneDraft(layer: layer.key, fields: taken)
    }

    /// Notes that what was passed on has arrived, or has not.
    /// - Parameters:
    ///   - error: why it has not; `nil` if it has.
    ///   - isRefusal: whether the scene does not take it, and not only has not answered.
    package mutating func finish(_ draft: SceneDraft, error: String?, isRefusal: Bool = false) {
        let isShown = draft.layer == layer?.key
        for (field, text) in draft.fields {
            let place = TypedPlace(layer: draft.layer, field: field)
            if error == nil {
                typed.arrived(text, at: place)
            } else if isRefusal, isShown {
                typed.refused(text, at: place)
            } else {
                typed.failed(place)
            }
        }
        if let error, isRefusal, isShown {
            let names = fields.filter { draft.fields[$0.name] != nil }.map { "'\($0.label)'" }
            say("\(names.joined(separator: ", ")) cannot be passed on: \(error)")
        }
        giveWay()
    }

    /// The texts that the scene does not have, with the labels of their fields, for when the person leaves.
    package var unsent: [(label: String, text: String)] { typed.unsent }

    // MARK: - Actions

    /// What is sent for an action: what has been typed. The scene knows best what its other fields have.
    /// - Parameter isWhole: whether secrets go along.
    func submission(of action: ActionBlock, isWhole: Bool) -> SceneSubmission {
        var submission = SceneSubmission(
            layer: layer?.key ?? "", action: action.name, label: action.label, isWhole: isWhole)
        for field in fields {
            let isSecret = field.kind == .secret
            guard let text = typed.submitted(at: place(field.name), isSecret: isSecret) else { continue }
            if !isSecret {
                submission.fields[field.name] = text
            } else if isWhole {
                submission.secrets[field.name] = Secret(text)
            }
        }
        return submission
    }

    /// Notes that what was typed is on its way with an action.
    mutating func accompany(_ submission: SceneSubmission) {
        for field in submission.fields.keys { typed.accompany(place(field)) }
    }

    /// Notes that an action has failed, and what was typed with it.
    mutating func takeBack(_ submission: SceneSubmission, isRefusal: Bool) {
        for field in submission.fields.keys {
            typed.failed(TypedPlace(layer: submission.layer, field: field), isAnswered: isRefusal)
        }
        giveWay()
    }

    // MARK: - Giving way

    /// Gives way to what the scene says where that is newer than what was typed.
    mutating func giveWay() {
        let focused = focusedField?.name
        let lost = fields.filter { typed.see($0.value, at: place($0.name), hasFocus: $0.name == focused) }
        guard let field = lost.first else { return }
        let what = lost.count == 1 ? "the field '\(field.label)' was" : "\(lost.count) fields were"
        say("\(what) changed meanwhile; Ctrl-Y there brings back what you typed", stays: true)
    }

    /// Says something beside why an action has failed.
    private mutating func say(_ text: String, stays: Bool = false) {
        let earlier = notice.flatMap { $0.staysWhileTyping ? nil : "\($0.text); " } ?? ""
        notice = Notice(text: earlier + text, staysWhileTyping: stays)
    }
}

extension TerminalKey {
    /// Whether it changes the text of a field, or moves in it.
    var isTyping: Bool {
        switch self {
        case .text, .paste, .backspace, .delete, .left, .right, .home, .end: true
        case .control, .enter, .tab, .backTab, .escape, .up, .down, .pageUp, .pageDown: false
        }
    }
}
