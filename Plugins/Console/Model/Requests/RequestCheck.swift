/// Refuses what a page of another site makes a browser send to the console.
///
/// A site can let its own name lead to this machine; then it is the header `Host` that names the other site. It can also post
/// a form to the console's address, or load something of it; then `Origin` and `Sec-Fetch-Site` tell.
package struct RequestCheck: Hashable, Sendable {
    /// The names by which browsers reach this machine from itself.
    private static let machineNames = ["127.0.0.1", "localhost", "[::1]"]

    /// The addresses under which browsers know the console, such as `127.0.0.1:8080`.
    private let hosts: Set<String>
    /// The addresses that lead here, or to a program of another user that listens there with the same port.
    private let otherHosts: Set<String>
    private let origins: Set<String>

    /// - Parameters:
    ///   - port: the port on which the console listens.
    ///   - listen: the address on which it listens.
    ///   - speaksTLS: whether it speaks TLS there.
    ///   - address: the console's address for browsers, if a proxy passes their requests on, such as
    ///     `https://console.example.com`; `nil` for none.
    package init(
        port: Int, listen: String = "127.0.0.1", speaksTLS: Bool = false, address: ConsoleAddress? = nil
    ) {
        // A browser leaves out the port that its addresses have anyway.
        func hosts(_ names: [String]) -> [String] {
            names.map { "\($0):\(port)" } + (port == (speaksTLS ? 443 : 80) ? names : [])
        }
        let own = hosts(Self.names(of: listen))
        self.hosts = Set(own + (address.map { [$0.host] } ?? []))
        otherHosts = Set(hosts(Self.machineNames)).subtracting(self.hosts)
        origins = Set(own.map { "\(speaksTLS ? "https" : "http")://\($0)" } + (address.map { [$0.origin] } ?? []))
    }

    /// The names by which the console is reached from its machine, if it listens on an address.
    private static func names(of listen: String) -> [String] {
        switch listen {
        case "127.0.0.1", "0.0.0.0": ["127.0.0.1"]
        case "::1": ["[::1]"]
        case "::": ["127.0.0.1", "[::1]"]
        default: []
        }
    }

    /// Whether a page is asked for by a name of this machine that is not the console's own. It is to be asked for by that one, because a
    /// browser would send a cookie that it got here to whoever listens there.
    package func isElsewhere(_ head: RequestHead) -> Bool {
        head.method == "GET" && head.target.hasPrefix("/")
            && head.host.map { otherHosts.contains($0.lowercased()) } == true
    }

    /// Returns why a request is refused; `nil` if it is not.
    package func refusal(of head: RequestHead) -> String? {
        guard let host = head.host?.lowercased(), hosts.contains(host) else {
            return "The console does not have this address. Its own is in the line that it has printed at its start."
        }
        let isReading = head.method == "GET" || head.method == "HEAD"
        if let site = head.fetchSite, site != "same-origin", site != "none" {
            // A link of another site leads here. The browser leaves out the cookie, so nothing is given away.
            guard isReading, head.fetchMode == "navigate", head.fetchDestination == "document" else {
                return "A page of another site has asked for this."
            }
        }
        switch head.origin?.lowercased() {
        case nil:
            return isReading || head.fetchSite == "same-origin"
                ? nil : "The request does not say from which page it comes."
        case "null" where head.fetchSite == "same-origin": return nil
        case let origin?: return origins.contains(origin) ? nil : "A page of another site has asked for this."
        }
    }
}

/// The address of the console for browsers that reach it by a name, or through a proxy.
package struct ConsoleAddress: Hashable, Sendable {
    /// Such as `https://console.example.com`.
    package let origin: String

    /// Such as `console.example.com`, with the port if the address has one.
    var host: String { String(origin.drop { $0 != ":" }.dropFirst(3)) }

    /// The host without its port, and an address of version 6 without its brackets.
    package var name: String {
        guard host.hasPrefix("[") else { return String(host.prefix { $0 != ":" }) }
        return String(host.dropFirst().prefix { $0 != "]" })
    }

    /// Whether browsers reach it with TLS.
    package var isSecure: Bool { origin.hasPrefix("https:") }

    /// - Returns: `nil` for a text that is no address of a whole site.
    package init?(_ text: String) {
        let text = text.hasSuffix("/") ? text.dropLast().lowercased() : text.lowercased()
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-.:[]")
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return nil }
        var host = text.dropFirst(scheme.count)
        guard !host.isEmpty, host.allSatisfy(allowed.contains) else { return nil }
        // A browser leaves out the port that its addresses have anyway.
        let port = scheme == "https://" ? ":443" : ":80"
        if host.hasSuffix(port) { host = host.dropLast(port.count) }
        guard !host.isEmpty else { return nil }
        origin = scheme + host
    }
}
