/// A cookie of the console: that of a login, that with the key of a screen on a wall, or that of what was asked for before a login.
///
/// Browsers send a cookie to all ports of a machine, so each console of a machine has names of its own. Where browsers
/// reach the console with TLS, the name also begins as browsers demand of a cookie that nobody else can have set: neither
/// a page without TLS, nor, for a login, another site of the same domain.
package struct ConsoleCookie: Hashable, Sendable {
    /// The longest time for which browsers keep it, in seconds: 400 days.
    private static let maximumAge = 400 * 86_400
    /// For how long a browser keeps what was asked for before a login, in seconds: as long as a link can be used.
    private static let askedAge = 600

    package let name: String
    private let path: String
    private let isSecure: Bool
    /// Whether a browser sends it also when a link of another site has led here.
    private var isSentFromElsewhere = false

    /// The cookie of a login.
    /// - Parameters:
    ///   - port: the port on which the console listens.
    ///   - isSecure: whether browsers reach the console with TLS.
    package static func login(port: Int, isSecure: Bool) -> ConsoleCookie {
        ConsoleCookie(
            name: "\(isSecure ? "__Host-" : "")scenebus-console-\(port)", path: "/", isSecure: isSecure)
    }

    /// The cookie of a screen on a wall.
    /// - Parameter path: the path of its page. Browsers send the cookie there only.
    package static func wall(port: Int, path: String, isSecure: Bool) -> ConsoleCookie {
        // The other prefix is for cookies of whole sites only.
        ConsoleCookie(
            name: "\(isSecure ? "__Secure-" : "")scenebus-console-\(port)-wall", path: path, isSecure: isSecure)
    }

    /// The cookie of the page that was asked for before a login, for those who then open a link that logs in. It gives no access, so it
    /// comes also where the link was in a page of another site.
    package static func asked(port: Int, isSecure: Bool) -> ConsoleCookie {
        var cookie = ConsoleCookie(
            name: "\(isSecure ? "__Host-" : "")scenebus-console-\(port)-asked", path: "/", isSecure: isSecure)
        cookie.isSentFromElsewhere = true
        return cookie
    }

    /// The value of the header `Set-Cookie` that gives a browser the page that was asked for.
    package func giving(_ target: PageTarget) -> String { header(target.path, maximumAge: Self.askedAge) }

    /// The value of the header `Set-Cookie` that gives a browser the cookie.
    ///
    /// It outlives the browser's process. How long it is valid is the console's to say.
    package func giving(_ token: ConsoleToken) -> String { header(token.text, maximumAge: Self.maximumAge) }

    /// The value of the header `Set-Cookie` that takes the cookie away.
    package var taking: String { header("", maximumAge: 0) }

    private func header(_ value: String, maximumAge: Int) -> String {
        let site = isSentFromElsewhere ? "Lax" : "Strict"
        let end = isSecure ? "; Secure" : ""
        return "\(name)=\(value); Path=\(path); HttpOnly; SameSite=\(site); Max-Age=\(maximumAge)\(end)"
    }
}
