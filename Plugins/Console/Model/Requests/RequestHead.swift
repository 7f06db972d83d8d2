/// What the console reads of a request before its body.
package struct RequestHead: Hashable, Sendable {
    package var method: String
    /// The path and the query.
    package var target: String
    /// The headers `Host`, `Origin`, `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest`.
    package var host: String?
    package var origin: String?
    package var fetchSite: String?
    package var fetchMode: String?
    package var fetchDestination: String?
    /// The header `Cookie`, once for each time that it was sent.
    package var cookies: [String]
    package var accept: String
    package var contentType: String
    /// The machine that sends the request, with whose share it is counted; `nil` for this one, and for a proxy: both send those of many.
    package var machine: ClientAddress?

    package init(
        method: String, target: String, host: String?, origin: String? = nil, fetchSite: String? = nil,
        fetchMode: String? = nil, fetchDestination: String? = nil, cookies: [String] = [], accept: String = "",
        contentType: String = "", machine: ClientAddress? = nil
    ) {
        self.method = method
        self.target = target
        self.host = host
        self.origin = origin
        self.fetchSite = fetchSite
        self.fetchMode = fetchMode
        self.fetchDestination = fetchDestination
        self.cookies = cookies
        self.accept = accept
        self.contentType = contentType
        self.machine = machine
    }

    /// Whether a screen on a wall asks. Nobody stands before it who would log in, or load a page again.
    package var isOfWall: Bool { target.hasPrefix("/wall/") }

    /// Whether a script asks, which wants JSON instead of a page.
    package var wantsJSON: Bool { accept.contains("application/json") }

    /// Whether the body is a form as the console's pages post it.
    package var isForm: Bool {
        contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " } == "application/x-www-form-urlencoded"
    }

    /// Whether the user has come by a link of another site. The browser then leaves out the console's cookie, although it has
    /// one.
    package var comesFromOtherSite: Bool {
        fetchMode == "navigate" && (fetchSite == "cross-site" || fetchSite == "same-site")
    }

    /// Whether a page of the console has led here, or no page: the user has typed the address, or kept it. Who does not say so may
    /// come from anywhere.
    package var comesFromHere: Bool { fetchSite == "same-origin" || fetchSite == "none" }

    /// The tokens in a cookie, of which the first few are looked at.
    package func tokens(inCookie name: String) -> [ConsoleToken] {
        values(ofCookie: name).prefix(8).compactMap { ConsoleToken($0) }
    }

    /// The values of a cookie. Another application of the same machine can have set one of the same name.
    package func values(ofCookie name: String) -> [Substring] {
        cookies.flatMap { $0.split(separator: ";") }.compactMap { pair in
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(name + "=") else { return nil }
            return pair.dropFirst(name.count + 1)
        }
    }
}
