public import SceneContent

/// A value that a field of a screen shows and changes.
///
/// A property that is ``Kept()`` has one, with a `$` before its name.
@MainActor
public struct FieldBinding<Value: KeptValue> {
    private let get: @MainActor () -> Value
    private let set: @MainActor (Value) -> Void
    /// The name of the property, which is the name of the field unless it has another one.
    let name: String?

    /// Makes a binding.
    /// - Parameter name: the name of a field for it; `nil` to name it after its label.
    public init(name: String? = nil, get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
        self.name = name
        self.get = get
        self.set = set
    }

    /// The value.
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
}

/// A value that can be kept in the state of a screen as a text, and entered into a field.
public protocol KeptValue: Equatable, Sendable {
    /// Reads the text; `nil` if it is none of this type.
    init?(kept text: String)
    /// The value as a text.
    var kept: String { get }
    /// What kind of field takes such a value.
    static var fieldKind: FieldBlock.Kind { get }
    /// What a field for such a value takes, such as `a whole number`, for whoever has entered something else.
    static var fieldTakes: String { get }
}

extension KeptValue {
    /// A text.
    public static var fieldKind: FieldBlock.Kind { .text }

    /// What fields of this kind take.
    public static var fieldTakes: String {
        switch fieldKind {
        case .number: "a number"
        case .toggle: "'true' or 'false'"
        case .date: "a day such as 2026-11-29"
        case .time: "a time of day such as 14:30"
        case .text, .lines, .secret, .choice: "a value that it takes"
        }
    }
}

extension String: KeptValue {
    public init?(kept text: String) { self = text }
    public var kept: String { self }
}

extension Bool: KeptValue {
    public init?(kept text: String) {
        switch text {
        case "true": self = true
        case "", "false": self = false
        default: return nil
        }
    }
    public var kept: String { self ? "true" : "" }
    public static var fieldKind: FieldBlock.Kind { .toggle }
}

extension Int: KeptValue {
    /// Reads a whole number, with or without spaces around it.
    public init?(kept text: String) { self.init(text.withoutSpacesAround) }
    public var kept: String { "\(self)" }
    public static var fieldKind: FieldBlock.Kind { .number }
    public static var fieldTakes: String { "a whole number" }
}

extension Double: KeptValue {
    /// Reads a number with a point or a comma before its decimals, with or without spaces around it.
    ///
    /// A comma that can be read in two ways is refused: `1,234` is more than a thousand in one country, and little more than one in
    /// another. A point always stands before decimals, so `1.234` is little more than one everywhere.
    public init?(kept text: String) {
        let text = text.withoutSpacesAround
        // It is half typed, and is not to be shown as a whole number under the hands of who types on.
        guard let last = text.last, last != ".", last != "," else { return nil }
        self.init(text.hasDecimalComma ? text.replacing(",", with: ".") : text)
    }

    /// The number as people write it: without decimals if it is whole.
    public var kept: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
    public static var fieldKind: FieldBlock.Kind { .number }
    public static var fieldTakes: String { "a number such as 1234.5" }
}

extension String {
    fileprivate var withoutSpacesAround: String {
        let rest = drop { $0.isWhitespace }
        return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
    }

    /// Whether a comma of this number stands before its decimals, and cannot be one that groups thousands.
    fileprivate var hasDecimalComma: Bool {
        let parts = split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, !contains(".") else { return false }
        let whole = parts[0].drop { $0 == "-" || $0 == "+" }
        return parts[1].count != 3 || whole.count > 3 || whole.isEmpty || whole.first == "0"
    }
}

extension KeptValue where Self: RawRepresentable, RawValue == String {
    public init?(kept text: String) { self.init(rawValue: text) }
    public var kept: String { rawValue }
}

/// Keeps a property of a view controller with its scene, and shows the screen again when it changes.
///
///     @Kept var filter = ""
///     @Kept var floor: Floor = .ground
///
/// The value is part of ``ViewController/restorationState`` under the property's name: a scene that continues in another
/// process has it. A secret must not be kept. `$filter` is a ``FieldBinding`` for a ``Field``.
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(`$`))
public macro Kept() = #externalMacro(module: "CoordinatorMacros", type: "KeptMacro")

extension ViewController {
    /// Returns a value of ``restorationState``. The accessors of ``Kept()`` call it.
    public func kept<Value: KeptValue>(_ name: String, or initial: Value) -> Value {
        restorationState[name].flatMap { Value(kept: $0) } ?? initial
    }

    /// Sets a value of ``restorationState``. The accessors of ``Kept()`` call it.
    public func keep<Value: KeptValue>(_ name: String, _ value: Value, or initial: Value) {
        restorationState[name] = value == initial ? nil : value.kept
    }
}
