import Foundation
import Monotonic
import Subprocess

/// Chromium without a window, driven by Debian's chromedriver over WebDriver.
///
/// It speaks through a socket of its own, because Foundation on Linux takes the driver's headers for malformed.
package struct Browser: Sendable {
    /// Why there is no browser on this machine; `nil` if there is one.
    package static let obstacle: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        func isInstalled(_ name: String) -> Bool {
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
        }
        return isInstalled("chromium") && isInstalled("chromedriver")
            ? nil : "no browser: apt-get install chromium chromium-driver"
    }()

    /// The time between two looks. A look keeps the driver and two processes of the browser busy.
    private static let pause = Duration.milliseconds(30)

    private let port: Int
    /// The driver's session.
    private let session: String

    /// Runs a browser for the duration of a body.
    /// - Parameters:
    ///   - folder: where it keeps what it writes.
    ///   - person: whose browser it is, with cookies and files of its own.
    ///   - runsScripts: whether pages may run scripts.
    package static func run(
        in folder: String, of person: String = "profile", runsScripts: Bool = true,
        _ body: (Browser) async throws -> Void
    ) async throws {
        let log = "\(folder)/chromedriver-\(person)"
        // The driver's port is read from it, and not that of an earlier driver.
        try? FileManager.default.removeItem(atPath: log)
        // A shell, because what a process writes is known only when it has ended.
        let script = "exec chromedriver --port=0 > \(log) 2>&1"
        _ = try await Subprocess.run(
            .name("sh"), arguments: ["-c", script], input: .none, output: .discarded, error: .discarded
        ) { driver in
            let port = try await port(in: log)
            let browser = try await Browser(
                port: port, folder: "\(folder)/\(person)", runsScripts: runsScripts)
            do {
                try await body(browser)
            } catch {
                try? await browser.end()
                try driver.send(signal: .terminate)
                throw error
            }
            try await browser.end()
            try driver.send(signal: .terminate)
        }
    }

    private static func port(in log: String) async throws -> Int {
        let end = MonotonicInstant.now + .seconds(30)
        while MonotonicInstant.now < end {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            if let match = text.firstMatch(of: /started successfully on port (\d+)/), let port = Int(match.1) {
                return port
            }
            try await Task.sleep(for: pause)
        }
        throw HTTPConnection.Failure(description: "the driver has not started")
    }

    private init(port: Int, folder: String, runsScripts: Bool) async throws {
        self.port = port
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=\(folder)",
            // Dates are typed in the order of this language.
            "--window-size=900,900", "--lang=en-US",
        ]
        let preferences = ["profile.managed_default_content_settings.javascript": runsScripts ? 1 : 2]
        let options: [String: Any] = ["goog:chromeOptions": ["args": arguments, "prefs": preferences]]
        let value = try await Self.send(
            "POST", "/session", ["capabilities": ["alwaysMatch": options]], port: port)
        session = try Self.known((value as? [String: Any])?["sessionId"] as? String, "/session")
    }

    private func end() async throws { _ = try await Self.send("DELETE", "/session/\(session)", nil, port: port) }

    private static func send(_ method: String, _ path: String, _ body: [String: Any]?, port: Int) async throws -> Any? {
        let data = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let connection = try HTTPConnection(port: port)
        try await connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(data.count)\r\n\r\n" + String(decoding: data, as: UTF8.self))
        let text = try await connection.read { text in
            guard let match = text.firstMatch(of: /(?i)content-length: ?(\d+)/), let length = Int(match.1),
                let body = text.firstRange(of: "\r\n\r\n")
            else { return false }
            return text[body.upperBound...].utf8.count >= length
        }
        let reply = try HTTPReply(text)
        let value = try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: Any]
        guard reply.status == 200 else {
            throw HTTPConnection.Failure(description: "\(method) \(path): \(reply.body.prefix(2000))")
        }
        return value?["value"]
    }

    @discardableResult
    package func command(_ path: String, _ body: [String: Any]) async throws -> Any? {
        try await Self.send("POST", "/session/\(session)/\(path)", body, port: port)
    }

    // MARK: - What a person does

    /// Opens an address.
    package func open(_ address: String) async throws { _ = try await command("url", ["url": address]) }

    /// Types into the first element that a selector finds, behind what is there.
    package func type(_ text: String, into selector: String) async throws {
        _ = try await command("element/\(try await element(selector))/value", ["text": text])
    }

    package func click(_ selector: String) async throws {
        _ = try await command("element/\(try await element(selector))/click", [:])
    }

    /// Finds the first element of a selector.
    package func element(_ selector: String) async throws -> String {
        let value = try await command("element", ["using": "css selector", "value": selector])
        return try Self.known((value as? [String: String])?.values.first, selector)
    }

    // MARK: - What there is to see

    /// Returns what an expression of JavaScript is, as a text.
    package func value(of expression: String) async throws -> String {
        let value = try await command("execute/sync", ["script": "return String(\(expression))", "args": [String]()])
        return try Self.known(value as? String, expression)
    }

    /// Runs a script in the page, for at most half a minute.
    /// - Parameter arguments: what the script finds in `arguments`, before a function that it calls in the end with a text.
    /// - Returns: that text.
    package func result(of script: String, _ arguments: [String]) async throws -> String {
        let value = try await command("execute/async", ["script": script, "args": arguments])
        return try Self.known(value as? String, script)
    }

    /// Waits until an expression is true.
    package func waitUntil(_ expression: String) async throws {
        let end = MonotonicInstant.now + .seconds(30)
        while try await value(of: expression) != "true" {
            if MonotonicInstant.now >= end {
                let page = try await value(of: "document.body.innerText")
                throw HTTPConnection.Failure(description: "not true: \(expression); the page: \(page)")
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Returns what the driver has answered, if it has.
    private static func known<Value>(_ value: Value?, _ what: String) throws -> Value {
        guard let value else { throw HTTPConnection.Failure(description: "no answer of the driver to: \(what)") }
        return value
    }
}
