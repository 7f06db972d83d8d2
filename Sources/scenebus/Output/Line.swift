import Monitor

/// Prints a line for people. It may hold text of peers: what would act on the terminal is taken out.
func printLine(_ line: String) {
    print(line.printable)
}

/// Prints several lines for people, as ``printLine(_:)`` does one.
func printLines(_ text: String) {
    print(text.printableLines)
}
