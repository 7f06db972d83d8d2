import SceneContent

extension HTMLWriter {
    mutating func field(_ field: FieldBlock, key: PageKey, in place: LayerPlace) {
        var field = field
        if let typed = place.typed[field.name], field.kind != .secret { field.value = typed }
        guard place.access == .use else {
            element(.dl, .class("block facts"), .key(key)) { writer in
                writer.element(.div) { writer in
                    writer.element(.dt, .automaticDirection, text: field.label)
                    writer.element(.dd, .automaticDirection, text: field.shownValue)
                }
            }
            return
        }
        let part = FieldPart(layer: place.key, block: key, field: field)
        element(.div, .class("block field"), .key(key)) { writer in
            if field.kind == .toggle {
                writer.element(.label, .class("toggle")) { writer in
                    writer.input(field, part)
                    writer.element(.span, .automaticDirection, text: field.label)
                }
            } else {
                writer.element(.label, .for(part.input), .automaticDirection) { writer in
                    writer.text(field.label)
                    if field.isRequired { writer.element(.span, .class("required"), .unread, text: " *") }
                }
                writer.input(field, part)
            }
            if !field.error.isEmpty {
                writer.element(.small, .class("error"), .id(part.error), .automaticDirection, text: field.error)
            }
            if !field.hint.isEmpty {
                writer.element(.small, .class("hint"), .id(part.hint), .automaticDirection, text: field.hint)
            }
        }
    }

    private mutating func input(_ field: FieldBlock, _ part: FieldPart) {
        let name = HTMLAttribute.name(.field(field.name))
        let state: [HTMLAttribute?] = [
            .key(part.identity), .id(part.input), name, .described(by: part.descriptions),
            .invalid(!field.error.isEmpty), .required(field.isRequired), .staysInPage(field.isPrivate),
            // The script keeps what was typed. What a browser keeps would come back over newer values.
            .notRemembered,
        ]
        switch field.kind {
        case .text, .number:
            void(
                .input,
                state
                    + [
                        .type(.text), .value(field.inputValue), field.kind == .number ? .decimal : nil,
                        .automaticDirection,
                    ])
        case .secret: void(.input, state + [.type(.password)])
        case .date: void(.input, state + [.type(.date), .value(field.inputValue)])
        case .time: void(.input, state + [.type(.time), .value(field.inputValue)])
        case .toggle: void(.input, state + [.type(.checkbox), .value("true"), .checked(field.isOn(field.value))])
        case .lines:
            element(.textarea, state + [.lines(4), .automaticDirection]) { writer in
                // A browser leaves out the first line feed.
                if field.inputValue.utf8.first == UInt8(ascii: "\n") { writer.text("\n") }
                writer.text(field.inputValue)
            }
        case .choice:
            element(.select, state) { writer in
                if !field.choices.contains(where: { $0.value == field.value }) {
                    writer.element(.option, .value(""), .selected(true), text: "–")
                }
                for choice in field.choices {
                    writer.element(
                        .option, .posted(choice.value), .selected(choice.value == field.value),
                        text: HTMLText.line(choice.label))
                }
            }
        }
    }
}

/// The identifiers of the parts of a field.
private struct FieldPart {
    let input, error, hint: PageID
    let descriptions: [PageID]
    /// A field of another name or kind is another element, so that nothing that was typed goes from one to the other.
    let identity: PageKey

    init(layer: PageKey, block: PageKey, field: FieldBlock) {
        input = PageID("input", layer: layer, block: block)
        error = PageID("error", layer: layer, block: block)
        hint = PageID("hint", layer: layer, block: block)
        descriptions = (field.error.isEmpty ? [] : [error]) + (field.hint.isEmpty ? [] : [hint])
        identity = PageKey("\(field.kind.rawValue):\(field.name)")
    }
}

extension FieldBlock {
    /// The value as the field of a page has it, and as a browser posts it while nobody has changed it.
    var inputValue: String {
        switch kind {
        case .text, .number: HTMLText.shown(HTMLText.line(value))
        case .lines: HTMLText.shown(value)
        case .secret: ""
        case .choice: choices.contains { $0.value == value } ? value : ""
        case .toggle: isOn(value) ? "true" : ""
        case .date: value.isDay ? value : ""
        case .time: value.isTimeOfDay ? value : ""
        }
    }

    /// The value as a text.
    fileprivate var shownValue: String {
        let text = shown(value)
        return text.isEmpty ? "–" : text
    }
}

extension String {
    /// Whether this is a day as a field of a page takes it, such as `2026-11-29`. It takes nothing else.
    fileprivate var isDay: Bool { hasForm("0000-00-00") }

    /// Whether this is a time of day as a field of a page takes it, such as `14:30`.
    fileprivate var isTimeOfDay: Bool { hasForm("00:00") || hasForm("00:00:00") }

    private func hasForm(_ form: String) -> Bool {
        utf8.count == form.utf8.count
            && zip(utf8, form.utf8).allSatisfy { byte, sign in
                sign == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == sign
            }
    }
}
