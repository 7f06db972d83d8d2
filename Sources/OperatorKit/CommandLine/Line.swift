/// Prints a line for people. It may hold text of peers: what would act on the terminal is taken out.
package func printLine(_ line: String) {
    print(line.printable)
}

/// Prints several lines for people, as ``printLine(_:)`` does one.
package func printLines(_ text: String) {
    print(text.printableLines)
}
