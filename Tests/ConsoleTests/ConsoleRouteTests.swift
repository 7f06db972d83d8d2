import ConsoleModel
import ConsolePages
import Testing

/// What the addresses of the console lead to.
@Suite(.timeLimit(.minutes(5)))
struct ConsoleRouteTests {
    private func route(_ target: String, _ method: String = "GET") -> ConsoleRoute {
        ConsoleRoute(RequestHead(method: method, target: target, host: nil))
    }

    @Test("Each page has its address")
    func pages() {
        #expect(route("/") == .application(ListQuery()))
        #expect(route("/?x=1") == .application(ListQuery()))
        #expect(route("/scenes/ab-1") == .scene(session: "ab-1"))
        #expect(route("/scenes/a%20b%2Fc") == .scene(session: "a b/c"))
        #expect(route("/scenes/a+b") == .scene(session: "a+b"))
        #expect(route("/scenes/a/events") == .events(session: "a", known: nil))
        #expect(route("/scenes/a/events?known=r.1") == .events(session: "a", known: "r.1"))
        #expect(route("/scenes/a/act", "POST") == .act(session: "a"))
        #expect(route("/stay", "HEAD") == .stay(session: nil))
        #expect(route("/scenes/a/stay", "HEAD") == .stay(session: "a"))
        #expect(route("/login?token=t") == .login(token: "t"))
        #expect(route("/login") == .login(token: ""))
        #expect(route("/login", "POST") == .userLogin)
        #expect(route("/logout", "POST") == .logout)
        #expect(route("/script.js?v1") == .file(path: "/script.js", version: "v1"))
        #expect(route("/favicon.ico") == .icon)
        #expect(route("/", "HEAD") == .application(ListQuery()))
    }

    @Test("An image has an address below that of the page which shows it")
    func images() {
        let hash = String(repeating: "0a", count: 32)
        #expect(route("/scenes/a%2Fb/images/\(hash)") == .image(session: "a/b", hash: hash))
        #expect(route("/scenes/a/images/\(hash)", "HEAD") == .image(session: "a", hash: hash))
        #expect(route("/wall/Lobby/images/\(hash)") == .wall(configuration: "Lobby", .image(hash: hash)))
        #expect(route("/scenes/a/images/\(hash)", "POST") == .otherMethod(allowed: "GET, HEAD"))
        for path in [
            "/scenes/a/images", "/scenes/a/images/", "/scenes/a/images/\(hash)0", "/scenes/a/images/\(hash)/",
            "/scenes/a/images/\(hash.uppercased())", "/scenes/a/images/%30\(hash.dropFirst())",
            "/scenes/a/events/\(hash)", "/sessions/a/images/\(hash)", "/open/a/images/\(hash)",
            "/scenes/a/images/..\(hash.dropFirst(2))", "/scenes//images/\(hash)",
        ] {
            #expect(route(path) == .notFound, "\(path)")
        }
    }

    @Test("Each thing has an address, and an address says what is searched for and how it is sorted")
    func things() {
        var query = ListQuery()
        (query.text, query.sort, query.isDescending, query.only, query.page) = ("a b&c", "state", true, .workers, 3)
        #expect(route("/?q=a+b%26c&sort=-state&only=workers&page=3") == .application(query))
        #expect(route("/sessions/a%2Fb") == .thing(.session("a/b"), ListQuery()))
        #expect(route("/sessions/a%2Fb/close") == .closeQuestion(session: "a/b"))
        #expect(route("/sessions/a%2Fb/close", "POST") == .close(session: "a/b"))
        #expect(route("/sessions/a/close", "DELETE") == .otherMethod(allowed: "GET, HEAD"))
        #expect(route("/workers/w-1/close") == .notFound)
        #expect(route("/workers/w-1") == .thing(.worker("w-1"), ListQuery()))
        #expect(route("/plugins/p") == .thing(.plugin("p"), ListQuery()))
        #expect(route("/entries") == .thing(.entries, ListQuery()))
        #expect(route("/entries/account%40k3") == .thing(.entry("account@k3"), ListQuery()))
        let long = String(repeating: "k", count: 1000)
        #expect(route("/entries/\(long)") == .thing(.entry(long), ListQuery()))
        #expect(route("/entries/\(long)\(long)") == .notFound)
        #expect(route("/entries/a", "POST") == .otherMethod(allowed: "GET, HEAD"))
    }

    @Test(
        "A query that makes no sense is left out",
        arguments: ["?q=%", "?q=a&q=b", "?&&", "?only=everything", "?page=x", "?page=", "?sort=", "?q=%00", "?q=+%0A"])
    func hostileQuery(query: String) {
        #expect(route("/" + query) == .application(ListQuery()))
    }

    @Test("A browser's own session has an address, and so has each screen on a wall, with what it asks for")
    func ownAndWalls() {
        #expect(route("/open/Wall") == .open(configuration: "Wall", .page(asks: false)))
        #expect(route("/open/a%20b%2Fc") == .open(configuration: "a b/c", .page(asks: false)))
        #expect(route(PagePath.open(asking: "a b/c")) == .open(configuration: "a b/c", .page(asks: true)))
        #expect(route("/open/Wall", "POST") == .open(configuration: "Wall", .form))
        #expect(route("/wall/Lobby") == .wall(configuration: "Lobby", .page(key: nil)))
        #expect(route("/wall/Lobby?device=k") == .wall(configuration: "Lobby", .page(key: "k")))
        #expect(route("/wall/Lobby/events?known=r.1") == .wall(configuration: "Lobby", .events(known: "r.1")))
        #expect(route("/wall/Lobby/act", "POST") == .wall(configuration: "Lobby", .act))
        #expect(route("/wall/Lobby/fill", "POST") == .wall(configuration: "Lobby", .fill))
        #expect(route("/open/Wall", "PUT") == .otherMethod(allowed: "GET, HEAD, POST"))
        #expect(route("/wall/Lobby/act") == .otherMethod(allowed: "POST"))
    }

    @Test(
        "Other addresses lead nowhere",
        arguments: [
            "", "*", "//", "/scenes", "/scenes/", "/scenes//events", "/scenes/a/", "/scenes/a/b", "/scenes/a/events/b",
            "/scenes/%", "/scenes/%ff", "/scenes/%00", "/../etc/passwd",
            "/scenes/\(String(repeating: "a", count: 300))",
            "http://127.0.0.1/", "/open", "/open/", "/open/a/events", "/wall/", "/wall/a/login", "/wall/%",
            "/wall/\(String(repeating: "a", count: 300))",
        ])
    func nowhere(target: String) {
        #expect(route(target) == .notFound)
    }

    @Test("A form is not read by a link, and a page not posted to")
    func methods() {
        #expect(route("/logout") == .otherMethod(allowed: "POST"))
        #expect(route("/scenes/a/act") == .otherMethod(allowed: "POST"))
        #expect(route("/scenes/a/stay", "POST") == .otherMethod(allowed: "GET, HEAD"))
        #expect(route("/", "POST") == .otherMethod(allowed: "GET, HEAD"))
        #expect(route("/scenes/a/events", "DELETE") == .otherMethod(allowed: "GET, HEAD"))
    }
}
