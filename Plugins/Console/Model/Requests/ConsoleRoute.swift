package import ConsolePages
import SceneContent

/// What a request asks for.
package enum ConsoleRoute: Hashable, Sendable {
    /// The page of the application, or of a part of it.
    case application(ListQuery)
    /// The page of one thing.
    case thing(Thing, ListQuery)
    /// The page of a scene.
    case scene(session: String)
    /// The stream of a scene's changes, after a picture that the page has.
    case events(session: String, known: String?)
    /// What a page says from time to time that nobody sees: it is still open. `nil` for one that shows no scene.
    case stay(session: String?)
    /// An image that a scene shows.
    case image(session: String, hash: String)
    /// An action in a scene.
    case act(session: String)
    /// What was typed and not sent yet.
    case fill(session: String)
    /// The page that asks whether a session is to be closed.
    case closeQuestion(session: String)
    /// The closing of a session.
    case close(session: String)
    /// The browser's own session of a configuration.
    case open(configuration: String, OpenRequest)
    /// A screen on a wall.
    case wall(configuration: String, WallRequest)
    /// A link that logs a browser in.
    case login(token: String)
    /// The form that logs a user in.
    case userLogin
    case logout
    /// A file that pages load, and the version that they expect.
    case file(path: String, version: String?)
    case icon
    case notFound
    /// The path has other methods.
    case otherMethod(allowed: String)

    /// What has a page of its own, beside scenes.
    package enum Thing: Hashable, Sendable {
        case session(String)
        case worker(String)
        case plugin(String)
        /// All entries of the container.
        case entries
        case entry(String)
    }

    /// How a browser asks for a session of its own.
    package enum OpenRequest: Hashable, Sendable {
        /// With a link. The console asks before it opens a session, if the address says so.
        case page(asks: Bool)
        /// With the form that the console has shown when it asked.
        case form
    }

    /// What a screen on a wall asks for.
    package enum WallRequest: Hashable, Sendable {
        /// The page, with the key if the address has it.
        case page(key: String?)
        case events(known: String?)
        case image(hash: String)
        case act
        case fill
    }

    /// The longest identifier of a session, or name of a configuration, in bytes.
    private static let maximumName = 256
    /// The longest key of an entry, in bytes.
    private static let maximumKey = 1024

    package init(_ head: RequestHead) {
        let parts = head.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // The values of a hostile query are missing.
        let query = parts.count == 2 ? try? FormValues(parts[1].utf8) : nil
        let path = parts.first ?? ""
        let isPost = head.method == "POST"
        let isReading = head.method == "GET" || head.method == "HEAD"
        func reading(_ route: ConsoleRoute) -> ConsoleRoute { isReading ? route : .otherMethod(allowed: "GET, HEAD") }
        func posting(_ route: ConsoleRoute) -> ConsoleRoute { isPost ? route : .otherMethod(allowed: "POST") }

        switch path {
        case "/": self = reading(.application(ListQuery { query?[$0] }))
        case PagePath.entries: self = reading(.thing(.entries, ListQuery { query?[$0] }))
        case PagePath.stay: self = reading(.stay(session: nil))
        case "/login": self = isPost ? .userLogin : reading(.login(token: query?["token"] ?? ""))
        case "/logout": self = posting(.logout)
        case "/script.js", "/style.css":
            self = reading(.file(path: String(path), version: parts.count == 2 ? String(parts[1]) : nil))
        case "/favicon.ico", "/favicon.svg": self = reading(.icon)
        default:
            let words = path.split(separator: "/", omittingEmptySubsequences: false)
            let longest = words.count > 1 && words[1] == "entries" ? Self.maximumKey : Self.maximumName
            guard (3...5).contains(words.count), words[0].isEmpty, let name = Self.name(words[2], longest) else {
                self = .notFound
                return
            }
            let known = query?["known"]
            if words.count == 5 {
                switch (words[1], words[3]) {
                case ("scenes", "images") where ImageBlock.isHash(String(words[4])):
                    self = reading(.image(session: name, hash: String(words[4])))
                case ("wall", "images") where ImageBlock.isHash(String(words[4])):
                    self = reading(.wall(configuration: name, .image(hash: String(words[4]))))
                default: self = .notFound
                }
                return
            }
            switch (words[1], words.count == 4 ? words[3] : nil) {
            case ("scenes", nil): self = reading(.scene(session: name))
            case ("scenes", "events"): self = reading(.events(session: name, known: known))
            case ("scenes", "stay"): self = reading(.stay(session: name))
            case ("scenes", "act"): self = posting(.act(session: name))
            case ("scenes", "fill"): self = posting(.fill(session: name))
            case ("sessions", nil): self = reading(.thing(.session(name), ListQuery { query?[$0] }))
            case ("sessions", "close"):
                self = isPost ? .close(session: name) : reading(.closeQuestion(session: name))
            case ("workers", nil): self = reading(.thing(.worker(name), ListQuery { query?[$0] }))
            case ("plugins", nil): self = reading(.thing(.plugin(name), ListQuery { query?[$0] }))
            case ("entries", nil): self = reading(.thing(.entry(name), ListQuery { query?[$0] }))
            case ("open", nil):
                switch (isPost, isReading) {
                case (true, _): self = .open(configuration: name, .form)
                case (_, true): self = .open(configuration: name, .page(asks: query?[PagePath.asks] != nil))
                default: self = .otherMethod(allowed: "GET, HEAD, POST")
                }
            case ("wall", nil): self = reading(.wall(configuration: name, .page(key: query?["device"])))
            case ("wall", "events"): self = reading(.wall(configuration: name, .events(known: known)))
            case ("wall", "act"): self = posting(.wall(configuration: name, .act))
            case ("wall", "fill"): self = posting(.wall(configuration: name, .fill))
            default: self = .notFound
            }
        }
    }

    private static func name(_ word: Substring, _ longest: Int) -> String? {
        guard word.utf8.count <= 3 * longest, let id = try? FormValues.decode(word.utf8, plusIsSpace: false),
            !id.isEmpty, id.utf8.count <= longest
        else { return nil }
        return id
    }
}
