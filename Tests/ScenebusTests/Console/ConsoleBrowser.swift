import Foundation
import Testing

/// A browser's part of the console's protocol: its cookie, and requests as pages make them.
struct ConsoleBrowser: Sendable {
    var port: Int
    var cookie: String?

    var host: String { "127.0.0.1:\(port)" }

    /// - Parameter link: the address that logs in.
    init(link: String) throws {
        port = try #require(URL(string: link)?.port)
    }

    /// The head of a request, without its last line.
    func head(_ method: String, _ path: String, _ headers: [String: String] = [:]) -> String {
        var all = ["Host": host]
        if let cookie { all["Cookie"] = cookie }
        if method == "POST" {
            all["Origin"] = "http://\(host)"
            all["Content-Type"] = "application/x-www-form-urlencoded"
        }
        all.merge(headers) { $1 }
        return "\(method) \(path) HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined()
    }

    /// Sends a request on a connection of its own.
    func request(
        _ method: String, _ path: String, headers: [String: String] = [:], body: String = ""
    ) async throws -> HTTPReply {
        let connection = try HTTPConnection(port: port)
        let length = method == "POST" ? "Content-Length: \(body.utf8.count)\r\n" : ""
        // The console closes the connection after the answer.
        try await connection.send(head(method, path, headers) + length + "Connection: close\r\n\r\n" + body)
        return try HTTPReply(try await connection.read { _ in false })
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> HTTPReply {
        try await request("GET", path, headers: headers)
    }

    /// Uses a link, and keeps the cookie.
    mutating func logIn(_ link: String) async throws -> HTTPReply {
        let url = try #require(URL(string: link))
        let reply = try await get("\(url.path)?\(url.query ?? "")")
        cookie = reply.headers["set-cookie"].map { String($0.prefix { $0 != ";" }) }
        return reply
    }

    /// Posts a form as the page's script does.
    func post(_ path: String, _ fields: [String: String]) async throws -> HTTPReply {
        let body = fields.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
        return try await request("POST", path, headers: ["Accept": "application/json"], body: body)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Opens the stream of a scene's changes.
    /// - Parameter known: the revision that the page shows; `nil` for none.
    func events(of session: String, known: String? = nil) async throws -> HTTPConnection {
        try await events(at: "/scenes/\(session)", known: known)
    }

    /// Opens the stream of the changes of a page.
    func events(at page: String, known: String? = nil) async throws -> HTTPConnection {
        let connection = try HTTPConnection(port: port)
        let query = known.map { "?known=\($0)" } ?? ""
        try await connection.send(
            head("GET", "\(page)/events\(query)", ["Accept": "text/event-stream"]) + "\r\n")
        return connection
    }

    /// What a page posts with its forms.
    func formToken(of page: String = "/") async throws -> String {
        let page = try await get(page).body
        let match = try #require(page.firstMatch(of: /data-token="([0-9a-f]{64})"/), "\(page)")
        return String(match.1)
    }
}
