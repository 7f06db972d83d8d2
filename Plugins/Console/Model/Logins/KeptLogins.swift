/// What the console keeps over a restart: which browsers are logged in, and its port, without which they would not find it.
package struct KeptLogins: Hashable, Sendable {
    /// The largest file that is read, in bytes.
    package static let maximumSize = 1 << 20

    private static let firstLine = "scenebus console 1"

    package var logins: ConsoleLogins
    /// The port on which the console listened last; `nil` for none.
    package var port: Int?

    package init(logins: ConsoleLogins = ConsoleLogins(), port: Int? = nil) {
        self.logins = logins
        self.port = port
    }

    /// Reads what was kept. A line that is none is left out: who is not found has to log in again.
    /// - Parameter now: in seconds since 1970.
    package init(text: String, limits: ConsoleLogins.Limits = ConsoleLogins.Limits(), at now: Double) {
        var browsers: [TokenDigest: Double] = [:]
        var lines = text.split(separator: "\n")[...]
        if lines.popFirst() == Self.firstLine[...] {
            for line in lines {
                let words = line.split(separator: " ")
                if words.count == 2, words[0] == "port" {
                    port = Int(words[1]).flatMap { (1...65_535).contains($0) ? $0 : nil }
                } else if words.count == 3, words[0] == "browser", let digest = TokenDigest(kept: words[1]),
                    let use = Double(words[2]), use.isFinite
                {
                    browsers[digest] = use
                }
            }
        }
        logins = ConsoleLogins(browsers: browsers, limits: limits, at: now)
    }

    /// The text of the file.
    package var text: String {
        let lines = logins.browsers.sorted { $0.key.text < $1.key.text }.map { "browser \($0.key.text) \($0.value)" }
        return ([Self.firstLine] + (port.map { ["port \($0)"] } ?? []) + lines).map { $0 + "\n" }.joined()
    }
}
