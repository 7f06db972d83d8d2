// A build without the trait has no console.
#if Console
    import CBOR
    import ConsoleModel
    import NIOCore
    import Testing

    @testable import console_plugin

    /// What the configuration of the console may say.
    @Suite(.timeLimit(.minutes(5)))
    struct ConsoleSettingsTests {
        /// A certificate, whose files nobody looks at yet.
        private static let certificate: [String: CBORValue] = ["certificate": "/a", "certificateKey": "/b"]

        @Test(
            "Without TLS, browsers of this machine alone are given an address",
            arguments: ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080", "https://a.example"])
        func address(text: String) throws {
            #expect(try ConsoleSettings(["address": .string(text)]).address?.origin == text)
        }

        @Test(
            "An address at which others could read what browsers send is refused, with the way out",
            arguments: ["http://console.example.com", "http://192.0.2.1:8080", "http://127.0.0.1.example.com"])
        func insecureAddress(text: String) {
            for (more, words) in [
                ([:], "forward the port with ssh"), (["listen": "0.0.0.0"], "forward the port with ssh"),
                (Self.certificate, "begin it with https://"),
            ] as [([String: CBORValue], String)] {
                let error = #expect(throws: SettingsError.self) {
                    try ConsoleSettings(more.merging(["address": .string(text)]) { $1 })
                }
                #expect(error?.description.contains(words) == true, "\(more)")
            }
        }

        @Test("A machine's connections are counted together, apart from those of this one and of the proxy")
        func machines() throws {
            let proxy = try ConsoleSettings(["proxy": "2001:db8::7"]).proxy
            let limits = ConnectionLimits(total: 10, proxy: proxy)
            func machine(_ address: String) throws -> ClientAddress? {
                limits.machine(of: try SocketAddress(ipAddress: address, port: 1))
            }
            for address in ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1", "2001:db8::7"] {
                #expect(try machine(address) == nil, "\(address)")
            }
            for (one, other, isSame) in [
                ("192.0.2.1", "::ffff:192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
                ("2001:db8::1", "2001:db8::2:3", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ] {
                #expect(try machine(one) != nil && (machine(one) == machine(other)) == isSame, "\(one), \(other)")
            }
            #expect(ClientAddress("fe80::1%eth0") == ClientAddress("fe80::1"))
            for text in ["", "proxy.example.com", "192.0.2", "192.0.2.1:80", "[::1]"] {
                #expect(ClientAddress(text) == nil, "\(text)")
                #expect(throws: SettingsError.self) { try ConsoleSettings(["proxy": .string(text)]) }
            }
        }

        @Test("A console that listens on this machine's name listens on one address, to which browsers are led")
        func localhost() throws {
            let settings = try ConsoleSettings(["listen": "localhost"])
            #expect(settings.listen == "127.0.0.1" && settings.host == "127.0.0.1" && settings.isLocal)
        }
    }
#endif
