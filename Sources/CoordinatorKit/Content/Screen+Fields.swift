import Messaging
import SceneContent

/// What is entered into the fields of a screen.
extension Screen {
    /// The fields from top to bottom.
    private var fields: [FieldBlock] {
        parts.blocks.compactMap { _, node in node["type"]?.text == FieldBlock.type ? FieldBlock(node) : nil }
    }

    /// What the fields have, by their names; nothing of a secret.
    var values: [String: String] { Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first } }

    /// Those of some fields that are bound to something, which keeps and shows their values.
    func bound(_ values: [String: String]) -> [String: String] { values.filter { parts.stores[$0.key] != nil } }

    /// Stores the values of the fields that are bound to something.
    /// - Returns: for each field that cannot take its value, a sentence that says so.
    @discardableResult
    func store(_ values: [String: String]) -> [String] {
        var stores = parts.stores.filter { values[$0.key] != nil }
        guard !stores.isEmpty else { return [] }
        var problems: [String] = []
        for field in fields {
            // Of two fields of one name, the first one is bound.
            guard let value = values[field.name], let store = stores.removeValue(forKey: field.name) else { continue }
            do {
                try store(value)
            } catch {
                // What the field has already was entered by nobody.
                guard value != field.value else { continue }
                problems.append("\(field.label): \(Self.reason(error, against: value, in: field))")
            }
        }
        return problems
    }

    /// Stores the values of the fields before an action runs.
    /// - Throws: ``ScreenActionError`` if a field cannot take its value. What a row or another block names runs all the same: what
    ///   was typed goes along with it, and is not what it is about.
    func store(_ values: [String: String], before action: String) throws {
        let problems = store(values)
        if !problems.isEmpty, hasButton(for: action) { throw ScreenActionError.wrongEntries(problems) }
    }

    private func hasButton(for action: String) -> Bool {
        parts.blocks.contains { _, node in node["type"]?.text == ActionBlock.type && node["name"]?.text == action }
    }

    private static func reason(_ error: any Error, against value: String, in field: FieldBlock) -> String {
        guard let error = error as? WrongEntry else { return String(foreign: error) }
        if value.isEmpty { return "nothing is entered, and it takes \(error.takes)" }
        // An error is logged, and others read it.
        let entered = field.isPrivate ? "what was entered" : "'\(String(foreign: value, maximumLength: 40))'"
        return "\(entered) is not \(error.takes)"
    }
}

/// What a window has stored already before it passes an action on, or has filled in because the action's surface has not sent it.
enum SettledFields {
    @TaskLocal static var values: [String: String] = [:]
}

/// What was entered into a field is nothing that it takes.
struct WrongEntry: Error {
    /// What it takes, such as `a whole number`.
    let takes: String
}
