package import SceneContent

/// The fields of a layer as a page posts them: a form as `application/x-www-form-urlencoded`, with and without a script.
package struct PostedFields: Hashable, Sendable {
    /// The key of the layer; `nil` if the form does not say it.
    package let layer: String?
    /// What the fields have, by their names, as the page has sent it.
    let values: [String: String]

    /// - Parameter form: the decoded pairs of the form.
    package init(form: [(name: String, value: String)]) {
        var layer: String?
        var values: [String: String] = [:]
        for (name, value) in form {
            switch FormName(name) {
            case .layer: layer = FormText.decode(value)
            case .field(let name): values[name] = value
            default: break
            }
        }
        self.layer = layer
        self.values = values
    }

    /// What was entered into the fields of a layer. What is no field of the layer is left out, and so is what nobody has
    /// entered: the scene may have something newer by the time that it gets this.
    /// - Parameter isWhole: whether the form was posted with all its fields, as a browser does it itself: those were entered that
    ///   differ from what the scene says. The script posts what was entered.
    package func entered(
        in layer: ContentLayer, isWhole: Bool
    ) -> (plain: [String: String], secrets: [String: String]) {
        var (plain, secrets): ([String: String], [String: String]) = ([:], [:])
        for (name, field) in layer.fields {
            // A browser posts no toggle that is off.
            guard let posted = values[name] ?? (isWhole && field.kind == .toggle ? "" : nil) else { continue }
            let value = field.value(posted: posted)
            if field.kind == .secret {
                secrets[name] = value
            } else if !isWhole || value != field.inputValue {
                plain[name] = value
            }
        }
        return (plain, secrets)
    }

    /// The values of those fields that were posted and may be seen by others before an action sends them.
    package func typed(in layer: ContentLayer) -> [String: String] {
        var typed: [String: String] = [:]
        for (name, field) in layer.fields where !field.isPrivate {
            // A toggle that is off is not posted with a form, so the script posts it as empty.
            if let value = values[name] { typed[name] = field.value(posted: value) }
        }
        return typed
    }
}

extension FieldBlock {
    fileprivate func value(posted value: String) -> String {
        switch kind {
        case .choice: FormText.decode(value) ?? ""
        // Forms have line feeds as two characters.
        case .lines: String(value.unicodeScalars.filter { $0 != "\r" })
        case .text, .number, .toggle, .date, .time, .secret: value
        }
    }
}

/// An action as a page posts it, with the fields of its layer.
package struct PostedAction: Hashable, Sendable {
    /// The name of the action.
    package let action: String
    /// What tells this act of the user from others: a form that is sent again has the same; empty for none.
    package let identifier: String
    /// Whether the user has said yes to the action's question.
    package let isConfirmed: Bool
    /// What was typed, and where.
    package let fields: PostedFields

    /// - Parameter form: the decoded pairs of the form.
    /// - Returns: `nil` if no action is named.
    package init?(form: [(name: String, value: String)]) {
        var action: String?
        var identifier = ""
        var isConfirmed = false
        for (name, value) in form {
            switch FormName(name) {
            case .action: action = FormText.decode(value)
            case .identifier: identifier = value
            case .confirmed: isConfirmed = value == "1"
            case .asked, .field, .layer, .password, .query, .token, .username, nil: break
            }
        }
        guard let action, !action.isEmpty else { return nil }
        self.action = action
        self.identifier = identifier
        self.isConfirmed = isConfirmed
        fields = PostedFields(form: form)
    }

    /// The key of the layer in which it was performed; `nil` if the form does not say it.
    package var layer: String? { fields.layer }

    /// What was entered into the fields of a layer; see ``PostedFields/entered(in:isWhole:)``. The way back and the tabs have none: their
    /// form is that of the bar, and what was typed below is not theirs.
    package func fields(
        of layer: ContentLayer, isWhole: Bool
    ) -> (plain: [String: String], secrets: [String: String]) {
        if layer.back?.name == action || layer.tabs.contains(where: { $0.action == action }) { return ([:], [:]) }
        return fields.entered(in: layer, isWhole: isWhole)
    }
}

/// What a script is answered that has posted an action, as `application/json`.
package enum ActionAnswer: Hashable, Sendable {
    case accepted
    /// The action was not performed; the page shows the reason.
    case refused(reason: String)
    /// Nobody knows whether the action was performed; the page shows the reason, and whoever presses again means the same act.
    case unsure(reason: String)
    /// Nothing is known of it yet; the page posts the same again.
    case unanswered(reason: String)

    package var json: String {
        switch self {
        case .accepted: "{\"accepted\":true}"
        case .refused(let reason): "{\"accepted\":false,\"reason\":\(JSONText.string(reason))}"
        case .unsure(let reason): "{\"accepted\":false,\"unsure\":true,\"reason\":\(JSONText.string(reason))}"
        case .unanswered(let reason): "{\"accepted\":false,\"again\":true,\"reason\":\(JSONText.string(reason))}"
        }
    }
}
