public import Messaging

/// The values that the user has entered into the fields of a screen.
public struct SubmittedFields: Sendable {
    private let values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    /// The value of a field, by its name; empty if it was not filled in.
    public subscript(name: String) -> String { values[name] ?? "" }

    /// The value of a field that nobody may see, by its name.
    public func secret(_ name: String) -> Secret<String> { Secret(self[name]) }
}
