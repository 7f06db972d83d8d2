// A build without the trait has no console.
#if Console
    import CBOR
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

        @Test("A console that listens on this machine's name listens on one address, to which browsers are led")
        func localhost() throws {
            let settings = try ConsoleSettings(["listen": "localhost"])
            #expect(settings.listen == "127.0.0.1" && settings.host == "127.0.0.1" && settings.isLocal)
        }
    }
#endif
