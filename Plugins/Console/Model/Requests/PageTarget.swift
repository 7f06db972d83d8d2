import ConsolePages

/// A page of the console to which a browser is led: one that was asked for before the login, or the one for those who have asked for
/// none.
///
/// Whoever makes the text, it leads nowhere else: it is the path of a page that the console has, with its query.
package struct PageTarget: Hashable, Sendable {
    /// The longest path with its query, in bytes. It goes into a cookie.
    private static let maximumLength = 1024

    /// The path, with its query.
    package let path: String

    /// The page of the application.
    package static let application = PageTarget(page: PagePath.application)

    private init(page path: String) { self.path = path }

    /// - Returns: `nil` for a text that is not the path of a page.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy(Self.isPlain) else { return nil }
        switch ConsoleRoute(RequestHead(method: "GET", target: text, host: nil)) {
        case .application, .thing, .scene, .closeQuestion, .open(_, .page): path = text
        default: return nil
        }
    }

    /// The page that a browser asks for; `nil` if it asks for something else, or for the address of the whole console, which is that of
    /// those who want nothing in particular.
    package init?(askedBy head: RequestHead) {
        guard head.method == "GET", !head.wantsJSON, head.target != PagePath.application else { return nil }
        self.init(head.target)
    }

    /// The configuration whose session the page opens; `nil` for another page.
    package var opened: String? {
        guard case .open(let configuration, _) = ConsoleRoute(RequestHead(method: "GET", target: path, host: nil))
        else { return nil }
        return configuration
    }

    /// Whether a byte means itself in an address, a header and a cookie. Browsers read some others as what they are not, such as a
    /// backslash as a slash.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "/?=&%+-._~:@!*".utf8.contains(byte)
        }
    }
}
