import Monitor

/// Prints a line for people. It may hold text of peers: what would act on the terminal is taken out.
func printLine(_ line: String) {
    print(line.printable)
}
