import ConsoleModel
import Testing

/// Which requests of a browser the console takes.
@Suite(.timeLimit(.minutes(5)))
struct RequestCheckTests {
    private let check = RequestCheck(port: 8080)

    private func head(
        _ method: String = "GET", host: String? = "127.0.0.1:8080", origin: String? = nil, site: String? = nil,
        mode: String? = nil, destination: String? = nil
    ) -> RequestHead {
        RequestHead(
            method: method, target: "/", host: host, origin: origin, fetchSite: site, fetchMode: mode,
            fetchDestination: destination)
    }

    @Test(
        "The addresses on which the console listens are taken, and who asks for a page by another name of this machine is led there",
        arguments: [
            ("127.0.0.1", ["127.0.0.1:8080"]), ("0.0.0.0", ["127.0.0.1:8080"]), ("::1", ["[::1]:8080"]),
            ("::", ["127.0.0.1:8080", "[::1]:8080"]), ("192.0.2.1", []),
        ] as [(String, [String])])
    func hosts(listen: String, own: [String]) {
        let check = RequestCheck(port: 8080, listen: listen)
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"] {
            let isOwn = own.contains(host)
            #expect((check.refusal(of: head(host: host)) == nil) == isOwn, "\(host)")
            #expect(check.isElsewhere(head(host: host)) == !isOwn, "\(host)")
            // A form is refused there.
            let form = head("POST", host: host, origin: "http://\(host)", site: "same-origin")
            #expect((check.refusal(of: form) == nil) == isOwn && !check.isElsewhere(form), "\(host)")
        }
        for host in ["evil.example:8080", "127.0.0.1:8081", "localhost", nil] {
            #expect(!check.isElsewhere(head(host: host)) && check.refusal(of: head(host: host)) != nil)
        }
        #expect(!check.isElsewhere(RequestHead(method: "GET", target: "http://a/", host: "localhost:8080")))
    }

    @Test(
        "An address that only leads to this machine is refused",
        arguments: [
            nil, "", "evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "127.0.0.1:8080.evil.example", "localhost",
        ])
    func otherHosts(host: String?) {
        #expect(check.refusal(of: head(host: host)) != nil)
    }

    @Test("A form of the console's own pages is taken")
    func ownForm() {
        #expect(check.refusal(of: head("POST", origin: "http://127.0.0.1:8080", site: "same-origin")) == nil)
        #expect(check.refusal(of: head("POST", origin: "http://127.0.0.1:8080")) == nil)
        #expect(check.refusal(of: head("POST", site: "same-origin")) == nil)
        #expect(check.refusal(of: head("POST", origin: "null", site: "same-origin")) == nil)
    }

    @Test(
        "A form of another site is refused",
        arguments: [
            ("http://evil.example", "cross-site"), ("http://127.0.0.1:9999", "same-site"), ("null", "cross-site"),
            ("null", nil), (nil, nil), ("https://127.0.0.1:8080", nil), ("http://127.0.0.1:8080", "cross-site"),
        ] as [(String?, String?)])
    func otherForm(origin: String?, site: String?) {
        #expect(
            check.refusal(of: head("POST", origin: origin, site: site, mode: "navigate", destination: "document"))
                != nil)
    }

    @Test("A link of another site leads to a page, but nothing can be embedded or fetched")
    func links() {
        #expect(check.refusal(of: head(site: "cross-site", mode: "navigate", destination: "document")) == nil)
        #expect(check.refusal(of: head(site: "cross-site", mode: "navigate", destination: "iframe")) != nil)
        #expect(check.refusal(of: head(site: "cross-site", mode: "no-cors", destination: "script")) != nil)
        #expect(check.refusal(of: head(origin: "http://evil.example", site: "cross-site", mode: "cors")) != nil)
        #expect(check.refusal(of: head(site: "none", mode: "navigate", destination: "document")) == nil)
    }

    @Test("Behind a proxy, the address for browsers is taken, too")
    func proxy() throws {
        let address = try #require(ConsoleAddress("https://Console.example.com/"))
        let check = RequestCheck(port: 8080, address: address)
        #expect(
            check.refusal(of: head("POST", host: "console.example.com", origin: "https://console.example.com")) == nil)
        #expect(
            check.refusal(of: head("POST", host: "console.example.com", origin: "http://console.example.com")) != nil)
        #expect(check.refusal(of: head(host: "example.com")) != nil)
        #expect(address.isSecure)
    }

    @Test("With TLS, only pages that came with TLS post forms, and the port of all such sites may be left out")
    func secure() {
        let check = RequestCheck(port: 8443, speaksTLS: true)
        #expect(check.refusal(of: head("POST", host: "127.0.0.1:8443", origin: "https://127.0.0.1:8443")) == nil)
        #expect(check.refusal(of: head("POST", host: "127.0.0.1:8443", origin: "http://127.0.0.1:8443")) != nil)
        #expect(check.refusal(of: head(host: "127.0.0.1")) != nil)
        let short = RequestCheck(port: 443, speaksTLS: true)
        #expect(short.refusal(of: head("POST", host: "127.0.0.1", origin: "https://127.0.0.1")) == nil)
        #expect(short.isElsewhere(head(host: "localhost")))
        #expect(RequestCheck(port: 443).refusal(of: head(host: "127.0.0.1")) != nil)
    }

    @Test("An address is as browsers write it, and says the name to which a certificate must be made out")
    func addressForms() throws {
        for (text, origin, name) in [
            ("https://Console.example.com:443/", "https://console.example.com", "console.example.com"),
            ("https://console.example.com:8443", "https://console.example.com:8443", "console.example.com"),
            ("http://127.0.0.1:80", "http://127.0.0.1", "127.0.0.1"),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443", "2001:db8::1"),
            ("https://[2001:db8::1]", "https://[2001:db8::1]", "2001:db8::1"),
            ("http://console:443", "http://console:443", "console"),
        ] {
            let address = try #require(ConsoleAddress(text))
            #expect(address.origin == origin && address.name == name)
        }
        #expect(ConsoleAddress("https://:443") == nil)
    }

    @Test(
        "What is no address of a whole site is refused",
        arguments: ["", "console.example.com", "https://", "https://a/b", "https://a b", "ftp://a", "https://a@b"])
    func addresses(text: String) {
        #expect(ConsoleAddress(text) == nil)
    }

    @Test(
        "Only pages of the console, and users who know its address, lead to it themselves",
        arguments: [
            ("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false), (nil, false),
        ] as [(String?, Bool)])
    func here(site: String?, isHere: Bool) {
        #expect(head(site: site, mode: "navigate", destination: "document").comesFromHere == isHere)
    }

    @Test("The values of a cookie are found among others, each time that it was sent")
    func cookies() {
        let head = RequestHead(
            method: "GET", target: "/", host: nil, cookies: ["a=1; console=x;consoles=y", "console=z=; b"])
        #expect(head.values(ofCookie: "console") == ["x", "z="])
        #expect(head.values(ofCookie: "c") == [])
    }

    @Test("Only what pages post is a form")
    func forms() {
        func isForm(_ type: String) -> Bool {
            RequestHead(method: "POST", target: "/", host: nil, contentType: type).isForm
        }
        #expect(
            isForm("application/x-www-form-urlencoded") && isForm("Application/X-WWW-Form-Urlencoded; charset=utf-8"))
        #expect(!isForm("text/plain") && !isForm("") && !isForm("multipart/form-data; boundary=a"))
    }
}
