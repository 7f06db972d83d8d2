// A build without the trait has no console.
#if Console
    import Foundation
    import TestKit
    import Testing

    extension CommandTests {
        /// The console with a certificate of its own, beside a real host. The browser is curl.
        @Suite(
            .timeLimit(.minutes(5)),
            .enabled(if: ConsoleCertificate.canBeMade, "openssl and curl are not both installed"))
        struct ConsoleTLSTests {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// The line of a page's form token.
            private func token(in page: String) throws -> String {
                String(try #require(page.firstMatch(of: /data-token="([0-9a-f]{64})"/), "\(page)").1)
            }

            @Test("A browser logs in, sees a scene and acts in it, with cookies that it sends with TLS only")
            func served() async throws {
                let certificate = try await installation.makeCertificate("own")
                try await installation.withConsole(certificate.options) { session in
                    func curl(_ arguments: String...) async throws -> HTTPReply {
                        try #require(try await installation.curl(arguments, trusting: certificate))
                    }
                    let link = try await installation.consoleLink()
                    let port = try ConsoleBrowser(link: link).port
                    let origin = "https://127.0.0.1:\(port)"
                    #expect(link.hasPrefix("\(origin)/login?token="))
                    let login = try await curl(link)
                    let cookie = try #require(login.headers["set-cookie"])
                    #expect(login.status == 303)
                    #expect(cookie.hasPrefix("__Host-scenebus-console-\(port)=") && cookie.hasSuffix("; Secure"))
                    let page = try await curl("\(origin)/scenes/\(session)")
                    #expect(page.status == 200 && page.body.contains("User name"), "\(page)")

                    let form = "token=\(try token(in: page.body))&action=overview"
                    for (from, isTaken) in [("http://127.0.0.1:\(port)", false), (origin, true)] {
                        let reply = try await curl(
                            "--header", "Origin: \(from)", "--data", form, "\(origin)/scenes/\(session)/act")
                        #expect((reply.status == 403) != isTaken, "\(from): \(reply)")
                    }
                    // Whoever forgets the TLS is told so.
                    let plain = try await ConsoleBrowser(link: link).get("/")
                    #expect(plain.status == 400 && plain.body.contains("https://"), "\(plain)")
                    #expect(plain.headers["set-cookie"] == nil)
                    // What is neither ends the connection, and no other.
                    let other = try HTTPConnection(port: port)
                    try await other.send("\u{16}\u{3}\u{1}\u{0}\u{4}nothing of it is TLS")
                    _ = try await other.read { _ in false }
                    #expect(try await curl("\(origin)/").status == 200)
                    #expect(try await !installation.scenebus("logs", "console").output.contains("certificate"))
                }
            }

            @Test("A renewed certificate is served without a restart, and pages that are open go on")
            func renewed() async throws {
                let certificate = try await installation.makeCertificate("own")
                let first = try await copy(of: certificate)
                try await installation.withConsole(certificate.options) { session in
                    let link = try await installation.consoleLink()
                    let origin = "https://127.0.0.1:\(try ConsoleBrowser(link: link).port)"
                    #expect(try await installation.curl([link], trusting: first)?.status == 303)
                    let events = "\(installation.folder)/events"
                    let page = "\(origin)/scenes/\(session)/events"
                    let options =
                        Installation.curlOptions(in: installation.folder, first)
                        + ["--no-buffer", "--max-time", "240", "--output", events, page]
                    _ = try await installation.run("curl", options) { stream in
                        func read(until isEnough: (String) -> Bool) async throws {
                            try await until("the stream has it", every: .milliseconds(50)) {
                                isEnough((try? String(contentsOfFile: events, encoding: .utf8)) ?? "")
                            }
                        }
                        try await read { $0.contains("User name") }

                        // What is no certificate is not taken.
                        try installation.write("nothing\n", to: "tls/own.pem")
                        try await installation.until("logs", "console", within: .seconds(60)) {
                            $0.output.contains("the earlier one stays") && $0.output.contains("no certificate as PEM")
                        }
                        #expect(try await installation.curl(["\(origin)/"], trusting: first)?.status == 200)

                        let next = try await installation.makeCertificate("next")
                        installation.replace(certificate, with: next)
                        try await until("the next certificate is served", every: .milliseconds(200)) {
                            try await installation.curl(["\(origin)/"], trusting: certificate) != nil
                        }
                        #expect(try await installation.curl(["\(origin)/"], trusting: certificate)?.status == 200)
                        #expect(try await installation.curl(["\(origin)/"], trusting: first) == nil)
                        try await installation.scenebus("scene", "act", session, "overview")
                        try await read { $0.matches(of: /id: ?/).count >= 2 }
                        try stream.send(SIGTERM)
                    }
                }
            }

            /// A copy that stays when the files are replaced.
            private func copy(of certificate: ConsoleCertificate) async throws -> ConsoleCertificate {
                let copy = ConsoleCertificate(chain: "\(certificate.chain).copy", key: "\(certificate.key).copy")
                try FileManager.default.copyItem(atPath: certificate.chain, toPath: copy.chain)
                return copy
            }

            @Test("Beyond this machine the console is reached by its name, and by no other")
            func name() async throws {
                // Programs that renew certificates have links lead to the files.
                let made = try await installation.makeCertificate("own", for: "DNS:console.example.com")
                let certificate = ConsoleCertificate(chain: "\(made.chain).link", key: "\(made.key).link")
                for (link, file) in [(certificate.chain, made.chain), (certificate.key, made.key)] {
                    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
                }
                let origin = "https://console.example.com"
                let file = "\(installation.folder)/kept/logins"
                let options = [
                    "console.listen=127.0.0.2", "console.address=\(origin)", "console.file=\(file)",
                ].flatMap { ["--configure", $0] }
                try await installation.withConsole(certificate.options + options) { _ in
                    let link = try await installation.consoleLink()
                    #expect(link.hasPrefix("\(origin)/login?"))
                    // Who is logged in, and the port, are written beside the work.
                    var port: Substring?
                    try await until("the port is written") {
                        port = try? String(contentsOfFile: file, encoding: .utf8).firstMatch(of: /port (\d+)/)?.1
                        return port != nil
                    }
                    let to = "127.0.0.2:\(try #require(port))"
                    func curl(_ arguments: String...) async throws -> HTTPReply? {
                        try await installation.curl(
                            ["--connect-to", "console.example.com:443:\(to)"] + arguments, trusting: certificate)
                    }
                    #expect(try await curl(link)?.status == 303)
                    #expect(try await curl("\(origin)/")?.status == 200)
                    #expect(try await curl("--header", "Host: \(to)", "\(origin)/")?.status == 403)
                }
            }

            @Test("A certificate for another name is served, and the log names those that it has")
            func otherName() async throws {
                let certificate = try await installation.makeCertificate("own", for: "DNS:a.example.com,IP:192.0.2.1")
                try await installation.withConsole(certificate.options) { _ in
                    try await installation.until("logs", "console") {
                        $0.output.contains("for other names") && $0.output.contains("a.example.com, 192.0.2.1")
                    }
                    let link = try await installation.consoleLink()
                    #expect(try await installation.curl([link], trusting: certificate) == nil)
                    #expect(try await installation.curl(["--insecure", link], trusting: certificate)?.status == 303)
                }
            }

            @Test("What no browser could use is refused at the start, with the reason and the way out")
            func refused() async throws {
                let good = try await installation.makeCertificate("good")
                let other = try await installation.makeCertificate("other")
                let early = try await installation.makeCertificate("early", from: "20900101000000")
                let late = try await installation.makeCertificate("late", to: "20210101000000")
                let open = "\(good.key).open"
                try FileManager.default.copyItem(atPath: good.key, toPath: open)
                #expect(chmod(open, 0o644) == 0)
                let encrypted = "\(good.key).encrypted"
                try await installation.openssl(
                    "pkey", "-in", good.key, "-aes128", "-passout", "pass:difference", "-out", encrypted)
                #expect(chmod(encrypted, 0o600) == 0)
                let missing = "\(installation.folder)/tls/nowhere"
                func options(_ chain: String, _ key: String) -> [String] {
                    ConsoleCertificate(chain: chain, key: key).options
                }
                let cases: [(options: [String], reason: String)] = [
                    (options(missing, good.key), "'certificate': \(missing) is not there"),
                    (options(good.chain, missing), "'certificateKey': \(missing) is not there"),
                    (options(good.chain, open), "can be read by others"),
                    (options(good.chain, other.key), "does not fit the first certificate"),
                    (options(good.key, good.key), "no certificate as PEM"),
                    (options(good.chain, good.chain), "'certificateKey'"),
                    (options(good.chain, encrypted), "is encrypted"),
                    (early.options, "valid from 2090-01-01 00:00 UTC on"), (late.options, "until 2021-01-01 00:00 UTC"),
                    (Array(good.options.prefix(2)), "set 'certificateKey', too"),
                    (Array(good.options.suffix(2)), "set 'certificate', too"),
                    (good.options + ["--configure", "console.address=http://a.example.com"], "begin it with https://"),
                    (good.options + ["--configure", "console.listen=0.0.0.0"], "set 'address' to the one"),
                ]
                for (options, reason) in cases {
                    let arguments = ["host", "--no-store", "--plugins", Installation.console] + options
                    _ = try await installation.run("\(Installation.executables)/scenebus", arguments) { host in
                        try await installation.until("plugins", "ls", "--json") {
                            guard $0.code == 0 else { return false }
                            return try $0.json([PluginReply].self).contains { $0.problem?.contains(reason) == true }
                        }
                        try host.send(SIGTERM)
                    }
                }
            }
        }
    }
#endif
