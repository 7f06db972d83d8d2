import Messaging

extension String {
    /// A line of a process's output for a terminal: without the sequences that control it, such as colours. Tabs stay. Of
    /// a line that has been written again after a carriage return, the last state is shown.
    package var printableOutput: String {
        let states = split(separator: "\r", omittingEmptySubsequences: true)
        return String(states.last ?? "").withoutTerminalSequences.split(
            separator: "\t", omittingEmptySubsequences: false
        )
        .map { String($0).printable }.joined(separator: "\t")
    }

    /// The JSON text for a terminal, with control characters written as escapes.
    ///
    /// Nothing is lost: such characters occur only inside JSON strings.
    package var printableJSON: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard scalar.isUnprintable, scalar.value <= 0xFFFF else {
                text.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            text.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
        }
        return String(text)
    }
}
