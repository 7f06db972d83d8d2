package import CBOR
import Messaging
import PeerLink

/// What a command lists at one moment: a table, lines around it, and the same as JSON.
package struct TableListing: Sendable {
    /// A line above or below the table.
    package struct Remark: Sendable {
        /// What the line is about. The same name in a later listing means the same line.
        let name: String
        let text: String
        /// What differs when the line has changed.
        let compared: String

        /// - Parameters:
        ///   - name: what the line is about; `nil` for the text itself, which then never changes but comes and goes.
        ///   - compared: what differs when the line has changed; `nil` for the text.
        package init(_ text: String, named name: String? = nil, comparing compared: String? = nil) {
            self.text = text.printable
            self.name = name ?? text
            self.compared = compared ?? text
        }
    }

    /// The lines above the table.
    package var head: [Remark] = []
    package var table: Table
    /// The lines below the table.
    package var foot: [Remark] = []
    /// What is shown instead of a table without rows; `nil` for its header.
    package var whenEmpty: String?
    /// What belongs on standard error.
    package var warnings: [String] = []
    /// The listing as JSON.
    package var json: CBORValue
    /// The paths of the values in the JSON that differ with each look, such as ages. Lists are no part of a path.
    package var ages: [[String]] = []

    /// Makes a listing of a table without lines around it.
    package init(_ table: Table, whenEmpty: String? = nil, json: CBORValue) {
        (self.table, self.whenEmpty, self.json) = (table, whenEmpty, json)
    }

    /// Makes a listing of a table without lines around it.
    package init(_ table: Table, whenEmpty: String? = nil, json: some Encodable) throws {
        self.init(table, whenEmpty: whenEmpty, json: try CBORValue(encoding: json))
    }

    /// Prints the listing once.
    package func print(asJSON isJSON: Bool) {
        if isJSON { return printJSON(json) }
        for line in lines(width: OutputTerminal.width) { StandardOutput.write(line) }
        for warning in warnings { Self.say(warning) }
    }

    static func say(_ warning: String) { StandardError.write("scenebus: \(warning)".printable) }

    /// All lines for people.
    /// - Parameter width: the columns of the terminal; `nil` for any number.
    package func lines(width: Int?) -> [String] {
        let empty = table.isEmpty ? whenEmpty.map { [$0.printable] } : nil
        return head.map(\.text) + (empty ?? table.lines(width: width)) + foot.map(\.text)
    }

    /// Draws the listing on a screen. Lines that find no room are counted: the last ones, or the oldest ones of a log.
    /// - Parameter notice: a line at the bottom about the watching itself; `nil` for none.
    package func screen(_ size: TerminalScreen.Size, notice: String? = nil) -> TerminalScreen {
        var screen = TerminalScreen(size)
        let room = size.rows - (notice == nil ? 0 : 1)
        for (row, line) in clipped(lines(width: size.columns), to: room).enumerated() {
            screen.put(line, at: .init(row: row, column: 0))
        }
        if let notice {
            screen.put(notice, at: .init(row: room, column: 0), TerminalStyle(isReversed: true))
        }
        return screen
    }

    private func clipped(_ lines: [String], to room: Int) -> [String] {
        guard lines.count > room else { return lines }
        guard room > 0 else { return [] }
        let shown = room - 1
        // The header, and what is above it, stays.
        let fixed = head.count + 1
        guard table.isLog, shown > fixed else { return lines.prefix(shown) + ["… \(lines.count - shown) more"] }
        return lines.prefix(fixed) + ["… \(lines.count - shown) before"] + lines.suffix(shown - fixed)
    }
}
