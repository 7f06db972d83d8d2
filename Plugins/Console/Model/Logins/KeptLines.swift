import SceneContent

/// What the lines of the kept file say.
struct KeptLines {
    /// The length of a user's name, in bytes.
    private static let maximumUser = 64

    private(set) var port: Int?
    private(set) var browsers: [TokenDigest: ConsoleLogins.Browser] = [:]
    var sessions: [OwnSessions.Key: OwnSessions.Session] = [:]
    private(set) var closing: Set<String> = []
    private(set) var walls: [TokenDigest: ConsoleWalls.Wall] = [:]

    /// Takes up a line, unless it is none of the file's.
    mutating func read(_ line: Substring) {
        let words = line.split(separator: " ")
        switch (words.first, words.count) {
        case ("port", 2): port = Int(words[1]).flatMap { (1...65_535).contains($0) ? $0 : nil }
        case ("browser", 3):
            guard let browser = TokenDigest(kept: words[1]), let use = time(words[2]) else { return }
            browsers[browser] = .init(use: use)
        case ("browser", 4):
            // Without its user, a browser would be one that has come with a link.
            guard let browser = TokenDigest(kept: words[1]), let use = time(words[2]), let user = user(words[3])
            else { return }
            browsers[browser] = .init(use: use, user: user)
        case ("open", 5...6):
            guard let browser = TokenDigest(kept: words[1]), let use = time(words[2]), isSession(words[3]),
                let configuration = configuration(words[4])
            else { return }
            var session = OwnSessions.Session(id: String(words[3]), use: use)
            if words.count > 5 {
                guard let user = user(words[5]) else { return }
                session.user = user
            }
            sessions[.init(browser: browser, configuration: configuration)] = session
        case ("close", 2): if isSession(words[1]) { closing.insert(String(words[1])) }
        case ("wall", 5...7):
            guard let key = TokenDigest(kept: words[1]), ConsoleWalls.isName(String(words[2])), isSession(words[3]),
                let configuration = configuration(words[4])
            else { return }
            var wall = ConsoleWalls.Wall(
                name: String(words[2]), configuration: configuration, session: String(words[3]))
            // The file of an earlier version has neither of the two.
            if words.count > 5, words[5] != KeptText.none {
                // One of which it is not known what it allows does not allow what all others do.
                wall.access = ConsoleWalls.Access(rawValue: String(words[5])) ?? .show
            }
            if words.count > 6 {
                guard let url = KeptText.decode(words[6]), ConsoleWalls.isURL(url) else { return }
                wall.url = url
            }
            walls[key] = wall
        default: break
        }
    }

    private func time(_ word: Substring) -> Double? { Double(word).flatMap { $0.isFinite ? $0 : nil } }

    private func user(_ word: Substring) -> String? {
        KeptText.decode(word).flatMap { (1...Self.maximumUser).contains($0.utf8.count) ? $0 : nil }
    }

    /// Whether a session can be one that the console has opened: it closes no others, whatever the file says.
    private func isSession(_ word: Substring) -> Bool {
        word.utf8.count <= 64 && (word.hasPrefix("browser-") || word.hasPrefix("wall-"))
    }

    private func configuration(_ word: Substring) -> String? {
        KeptText.decode(word).flatMap { ConsoleWalls.isConfiguration($0) ? $0 : nil }
    }
}

/// A text as one word of the kept file: the bytes as hexadecimal digits.
enum KeptText {
    /// The word for what is not said. It is no text's.
    static let none = "-"

    static func encode(_ text: String) -> String {
        HexDigits.text(of: text.utf8)
    }

    /// - Returns: `nil` for a word that is none.
    static func decode(_ word: Substring) -> String? {
        guard word.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var rest = word
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
