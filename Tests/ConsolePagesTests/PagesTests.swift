import Testing

@testable import ConsolePages

@Suite(.timeLimit(.minutes(5)))
struct PagesTests {
    private let frame = PageFrame(application: "Hotel", reader: "Mei", token: "t")

    @Test("a message on a wall leads nowhere, and loads itself again until there is another page")
    func wallMessage() throws {
        let page = MessagePage(title: "Not now", text: "The host is away.")
        let wall = try MarkupScan(page.html(in: PageFrame(application: "Hotel", isWall: true)))
        #expect(wall.tags("a").isEmpty && wall.tags("header").isEmpty)
        #expect(wall.tags("meta").contains { $0.attributes["http-equiv"] == "refresh" })
        #expect(wall.tags("main").allSatisfy { $0.attributes["data-reload"] != nil })
        let other = try MarkupScan(page.html(in: frame))
        #expect(!other.tags("meta").contains { $0.attributes["http-equiv"] == "refresh" })
    }

    @Test("who is not logged in is told how to get a link", arguments: LoginPage.Reason.allCases)
    func login(reason: LoginPage.Reason) throws {
        let page = LoginPage(reason, command: "scenebus console link").html(in: PageFrame(application: "Hotel"))
        #expect(try MarkupScan(page).text.contains("scenebus console link"))
        #expect(try MarkupScan(page).tags("form").isEmpty)
    }

    @Test(
        "words for those who run the application stand apart, where others need not read them",
        arguments: [true, false])
    func apart(hasForm: Bool) throws {
        for reason in LoginPage.Reason.allCases {
            var page = LoginPage(reason, command: "scenebus console link")
            page.hasForm = hasForm
            let html = page.html(in: PageFrame(application: "Hotel"))
            let parts = html.split(separator: /<\/?details>/)
            #expect(parts.count == 3 && parts[1].contains("<summary>") && parts[1].contains("scenebus console link"))
            #expect(!parts[0].contains("scenebus") && !parts[2].contains("scenebus"))
        }
    }

    @Test("who comes can log out again, and is not asked to leave a console")
    func logOut() throws {
        let scan = try MarkupScan(OpenPage(configuration: "The Wall").html(in: frame))
        #expect(scan.text.contains("Log out") && !scan.text.contains("console"))
    }

    @Test(
        "users log in with a form that says what a browser may fill in, and the link stays",
        arguments: [nil, "Wrong name."])
    func loginForm(problem: String?) throws {
        var page = LoginPage(.notLoggedIn, command: "scenebus console link")
        page.hasForm = true
        page.problem = problem
        let scan = try MarkupScan(page.html(in: PageFrame(application: "Hotel")))
        scan.expectHarmless()
        #expect(scan.tags("form").map { $0.attributes["action"] } == ["/login"])
        #expect(scan.tags("form").map { $0.attributes["method"] } == ["post"])
        #expect(scan.tags("input").map { $0.attributes["name"] } == ["username", "password"])
        #expect(scan.tags("input").map { $0.attributes["autocomplete"] } == ["username", "current-password"])
        #expect(scan.tags("input").last?.attributes["type"] == "password")
        #expect(scan.text.contains("scenebus console link"))
        if let problem { #expect(scan.text.contains(problem)) }
    }

    @Test("the form to log in says which page was asked for")
    func asked() throws {
        var page = LoginPage(.notLoggedIn, command: "c")
        (page.hasForm, page.asked) = (true, "/open/Desk?a=1&b=2")
        let scan = try MarkupScan(page.html(in: PageFrame(application: "Hotel")))
        scan.expectHarmless()
        let asked = scan.tags("input").first { $0.attributes["name"] == "asked" }
        #expect(asked?.attributes["type"] == "hidden")
        #expect(page.html(in: frame).contains("value=\"/open/Desk?a=1&amp;b=2\""))
    }

    @Test("a session is opened by one button, whose form holds the reader's token")
    func open() throws {
        let scan = try MarkupScan(OpenPage(configuration: "The Wall").html(in: frame))
        let form = try #require(scan.tags("form").first { $0.attributes["action"] == "/open/The%20Wall" })
        #expect(form.attributes["method"] == "post")
        #expect(scan.tags("input").allSatisfy { $0.attributes["name"] == "token" && $0.attributes["value"] == "t" })
        #expect(scan.tags("button").contains { $0.attributes["class"] == "main" })
    }

    @Test("the files of the pages are there, and are named after what they hold")
    func assets() {
        for file in [PageAssets.script, PageAssets.style] {
            #expect(file.bytes.count > 1000 && file.bytes.count < 30_000)
            #expect(MessagePage.notFound.html(in: frame).contains("\(file.path)?\(file.version)"))
        }
        #expect(PageAssets.script.version != PageAssets.style.version)
    }

    @Test("browsers get the files without comments and indentation, and every other line as it is written")
    func served() {
        let source = """
            // A comment.
            const a = "// a text"; // A comment behind.

              a(); /* one */
                /* a comment */
            /* a comment */ b() /* another */
              /* of
                 two lines */
            """
        let served = """
            const a = "// a text"; // A comment behind.
            a(); /* one */
            /* a comment */ b() /* another */
            /* of
            two lines */

            """
        #expect(String(decoding: PageAssets.served(Array(source.utf8)), as: UTF8.self) == served)
        // No text of the files goes on in the next line, where it could begin like a comment.
        for file in [PageAssets.script, PageAssets.style] {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(!text.contains("`") && !text.contains("\\\n") && !text.contains("\n//") && !text.contains("\n "))
        }
    }

    @Test("the style and the script fit the policy: they load nothing from elsewhere and write no markup unchecked")
    func policy() {
        let style = String(decoding: PageAssets.style.bytes, as: UTF8.self)
        let script = String(decoding: PageAssets.script.bytes, as: UTF8.self)
        for part in ["url(", "@import", "http:"] { #expect(!style.contains(part)) }
        for part in ["eval(", "outerHTML", "insertAdjacentHTML", "document.write", ".style", "http:"] {
            #expect(!script.contains(part))
        }
        #expect(script.components(separatedBy: "innerHTML") == 2)
    }
}

extension String {
    /// The number of parts between occurrences of a text.
    fileprivate func components(separatedBy text: String) -> Int { ranges(of: text).count + 1 }
}
