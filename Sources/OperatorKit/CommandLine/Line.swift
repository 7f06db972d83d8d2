import PeerLink

/// Prints a line for people. The line may contain text of peers, so control characters are replaced.
package func printLine(_ line: String) {
    StandardOutput.write(line.printable)
}

/// Prints several lines for people, each as with ``printLine(_:)``.
package func printLines(_ text: String) {
    StandardOutput.write(text.printableLines)
}
