public import SceneContent

/// A field that the user can fill in.
public struct Field: ScreenPart {
    private let block: FieldBlock
    private let store: @MainActor (String) throws -> Void

    /// Makes a field for a value. What the user has typed is stored a moment later, and before an action of the screen runs, so
    /// that others who look at the scene see it, and the session's next scene has it. What is no value of this type is not
    /// stored, and an action that would run without it is refused.
    /// - Parameters:
    ///   - name: the name under which the value is sent; the name of the property if it is left out.
    ///   - isLong: whether a text may have several lines.
    ///   - hint: what helps to fill it in; empty for nothing.
    ///   - error: why the value cannot be taken; empty for no reason.
    ///   - isPrivate: whether nobody else sees what is typed before an action sends it.
    public init<Value: KeptValue>(
        _ label: String, _ value: FieldBinding<Value>, name: String? = nil, isLong: Bool = false, hint: String = "",
        error: String = "", isRequired: Bool = false, isPrivate: Bool = false
    ) {
        block = FieldBlock(
            name: name ?? value.name ?? ScreenParts.name(for: label), label: label,
            kind: isLong && Value.fieldKind == .text ? .lines : Value.fieldKind, value: value.wrappedValue.kept,
            hint: hint, error: error, isRequired: isRequired, isPrivate: isPrivate)
        store = { text in
            guard let entered = Value(kept: text) else { throw WrongEntry(takes: Value.fieldTakes) }
            value.wrappedValue = entered
        }
    }

    public func add(to all: inout ScreenParts) { all.add(block, store: store) }
}

/// A field for a text that nobody may see, such as a password. An action reads it with ``SubmittedFields/secret(_:)``.
public struct SecretField: ScreenPart {
    private let block: FieldBlock

    /// Makes a field.
    /// - Parameters:
    ///   - name: the name under which the value is sent; made of the label if it is left out.
    ///   - hint: what helps to fill it in; empty for nothing.
    ///   - error: why the value cannot be taken; empty for no reason.
    ///   - isRequired: whether the user is told to fill it in. An action still checks it.
    public init(
        _ label: String, name: String? = nil, hint: String = "", error: String = "", isRequired: Bool = false
    ) {
        block = FieldBlock(
            name: name ?? ScreenParts.name(for: label), label: label, kind: .secret, hint: hint, error: error,
            isRequired: isRequired)
    }

    public func add(to all: inout ScreenParts) { all.add(block) }
}

/// A field that is on or off.
public struct Toggle: ScreenPart {
    private let field: Field

    public init(_ label: String, _ value: FieldBinding<Bool>, name: String? = nil, hint: String = "") {
        field = Field(label, value, name: name, hint: hint)
    }

    public func add(to all: inout ScreenParts) { field.add(to: &all) }
}

/// A field for one of several values.
public struct Choice: ScreenPart {
    private let block: FieldBlock
    private let store: @MainActor (String) throws -> Void

    /// Makes a field.
    /// - Parameters:
    ///   - values: the values to choose from.
    ///   - title: the text that the user sees for a value; the value as it is kept if it is left out.
    public init<Value: KeptValue>(
        _ label: String, _ value: FieldBinding<Value>, of values: some Sequence<Value>, name: String? = nil,
        hint: String = "", title: (Value) -> String = { $0.kept }
    ) {
        let choices = values.map { FieldBlock.Choice($0.kept, label: title($0)) }
        block = FieldBlock(
            name: name ?? value.name ?? ScreenParts.name(for: label), label: label, kind: .choice,
            value: value.wrappedValue.kept, choices: choices, hint: hint)
        store = { text in
            // Only what is offered can be chosen.
            guard choices.contains(where: { $0.value == text }), let chosen = Value(kept: text) else {
                throw WrongEntry(takes: "one of its choices")
            }
            value.wrappedValue = chosen
        }
    }

    public func add(to all: inout ScreenParts) { all.add(block, store: store) }
}

/// An action that the user can perform.
public struct Action: ScreenPart {
    private let block: ActionBlock
    private let handler: ScreenParts.Handler

    /// Makes an action.
    /// - Parameters:
    ///   - name: the name under which it is performed; made of the label if it is left out. Give it a name if the label
    ///     changes, or if scripts perform it.
    ///   - confirm: what the user is asked before; empty for nothing.
    ///   - unavailable: why it cannot be performed now; `nil` if it can.
    ///   - perform: what it does. The fields' values have been stored. An error is shown to the user.
    public init(
        _ label: String, name: String? = nil, style: ActionBlock.Style = .plain, confirm: String = "",
        unavailable: String? = nil, perform: @escaping @MainActor () async throws -> Void
    ) {
        self.init(
            label, name: name, style: style, confirm: confirm, unavailable: unavailable,
            submit: { _ in try await perform() })
    }

    /// Makes an action that reads the values of the fields, such as secrets.
    public init(
        _ label: String, name: String? = nil, style: ActionBlock.Style = .plain, confirm: String = "",
        unavailable: String? = nil, submit: @escaping @MainActor (SubmittedFields) async throws -> Void
    ) {
        block = ActionBlock(
            name: name ?? ScreenParts.name(for: label), label: label, style: style, confirmation: confirm,
            unavailable: unavailable)
        handler = submit
    }

    public func add(to all: inout ScreenParts) { all.add(block, handler: handler) }
}
