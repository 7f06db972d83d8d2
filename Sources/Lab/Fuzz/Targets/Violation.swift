/// A property that an input breaks.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// - Throws: ``Violation`` when the condition does not hold.
func require(_ condition: Bool, _ property: @autoclosure () -> String) throws(Violation) {
    if !condition { throw Violation(property()) }
}

/// - Throws: ``Violation`` when there is no value.
func require<Value>(_ value: Value?, _ property: @autoclosure () -> String) throws(Violation) -> Value {
    guard let value else { throw Violation(property()) }
    return value
}
