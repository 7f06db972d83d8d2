package import CBOR

/// Prints a value as one line of JSON.
package func printJSON(_ value: some Encodable) throws {
    printJSON(try CBORValue(encoding: value))
}

/// Prints a value as one line of JSON. Control characters in strings are written as escapes.
package func printJSON(_ value: CBORValue) {
    print(value.json.printableJSON)
}
