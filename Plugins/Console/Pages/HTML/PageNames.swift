/// A key of a scene, as pages have it in attributes.
struct PageKey: Hashable, Sendable {
    /// ASCII letters, digits and a few signs, and `%XX` for other bytes. Two keys never have the same text, but that a long key
    /// is cut, and has a digest at its end.
    let text: String

    init(_ key: String) {
        let text = FormText.encode(key)
        guard text.utf8.count > Self.limit else {
            self.text = text
            return
        }
        // A block's identifiers have its key and that of its layer, so long keys would fill the page.
        self.text = "\(text.prefix(Self.limit))~\(Digest.text(of: text.utf8))"
    }

    private static let limit = 100
}

/// A text that a page posts, such as the name of an action: a browser sends it as it is, whatever it is made of.
enum FormText {
    static func encode(_ text: String) -> String {
        Percent.encode(text) { byte in
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "/"): true
            default: Percent.isLetterOrDigit(byte)
            }
        }
    }

    /// The text that was encoded; `nil` if none was.
    static func decode(_ text: String) -> String? { Percent.decode(text) }
}

/// The identifier of an element in its page.
struct PageID: Hashable, Sendable {
    let text: String

    /// A part of a block of a layer.
    init(_ part: StaticString, layer: PageKey, block: PageKey? = nil) {
        text = "\(part)~\(layer.text)\(block.map { "~\($0.text)" } ?? "")"
    }

    /// A part that each page has once.
    init(_ part: StaticString) { text = "\(part)" }
}

/// The name under which a form sends a value.
enum FormName: Hashable, Sendable {
    case action, asked, confirmed, identifier, layer, password, token, username
    /// A field of the scene, which may have any name.
    case field(String)
    /// A part of an address.
    case query(Query)

    /// The names that addresses of lists have.
    enum Query: String {
        case text = "q"
        case sort, only, page
    }

    var text: String {
        switch self {
        case .action: "action"
        case .asked: "asked"
        case .confirmed: "confirmed"
        case .identifier: "identifier"
        case .layer: "layer"
        case .password: "password"
        case .token: "token"
        case .username: "username"
        case .field(let name): Self.prefix + FormText.encode(name)
        case .query(let query): query.rawValue
        }
    }

    init?(_ text: String) {
        switch text {
        case "action": self = .action
        case "confirmed": self = .confirmed
        case "identifier": self = .identifier
        case "layer": self = .layer
        case "token": self = .token
        default:
            guard text.hasPrefix(Self.prefix), let name = FormText.decode(String(text.dropFirst(Self.prefix.count)))
            else {
                return nil
            }
            self = .field(name)
        }
    }

    private static let prefix = "field."
}

/// Where a link leads to.
enum PageLink {
    /// A page of the console, with a path that ``PagePath`` has made.
    case page(String)
    case asset(PageAssets.File)
    /// A page elsewhere. Anything but an address of the web leads nowhere.
    case web(String)

    var address: String {
        switch self {
        case .page(let path): return path
        case .asset(let file): return "\(file.path)?\(file.version)"
        case .web(let address):
            let lower = address.lowercased()
            return lower.hasPrefix("https://") || lower.hasPrefix("http://") ? address : "#"
        }
    }
}
