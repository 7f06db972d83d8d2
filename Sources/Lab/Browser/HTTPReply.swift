import Foundation

/// What a web server answers.
package struct HTTPReply: Sendable {
    package var status: Int
    /// By their names in lower case.
    package var headers: [String: String]
    package var body: String

    /// Takes a whole answer apart.
    package init(_ text: String) throws {
        let parts = text.components(separatedBy: "\r\n\r\n")
        let lines = parts[0].components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else {
            throw HTTPConnection.Failure(description: "no answer: '\(text)'")
        }
        self.status = status
        headers = [:]
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }
            headers[name.lowercased()] = String(line.dropFirst(name.count + 1)).trimmingCharacters(in: .whitespaces)
        }
        body = parts.dropFirst().joined(separator: "\r\n\r\n")
    }
}
