import PeerLink
import OperatorKit
import Glibc

/// Reads the values of fields from files and from standard input.
enum FieldInput {
    /// The longest value, in bytes.
    static let maximumBytes = 1 << 20

    /// Reads a file's text without its final line break. The file may be a pipe, such as a shell's `<(…)`.
    /// - Throws: ``CommandError`` when the file cannot be read, is too long or is not UTF-8.
    static func file(_ path: String, for name: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, name, errno) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, name, errno) }
            if count == 0 { break }
            content += buffer[..<count]
            guard content.count <= maximumBytes else { throw tooLong(name, "the file \(path)") }
        }
        return try text(content, of: name, "the file \(path)")
    }

    /// Reads the next line of standard input.
    /// - Throws: ``CommandError`` as for ``file(_:for:)``, and at the end of the input.
    static func line(for name: String) throws -> String {
        try line(from: STDIN_FILENO, for: name, "standard input")
    }

    /// Reads a line byte by byte, so that the bytes after it are left for the next field or the next command of a
    /// script.
    static func line(from descriptor: Int32, for name: String, _ source: String) throws -> String {
        var content: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(source, name, errno) }
            guard count > 0 || !content.isEmpty else {
                throw CommandError(.usage, "\(source) has ended: there is no line for '\(name)'")
            }
            if count == 0 { break }
            content.append(byte)
            if byte == UInt8(ascii: "\n") { break }
            guard content.count <= maximumBytes else { throw tooLong(name, "the line") }
        }
        return try text(content, of: name, source)
    }

    private static func text(_ content: [UInt8], of name: String, _ source: String) throws -> String {
        var content = content[...]
        if content.last == UInt8(ascii: "\n") {
            content.removeLast()
            if content.last == UInt8(ascii: "\r") { content.removeLast() }
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CommandError(.usage, "\(source) is not text in UTF-8: it cannot be the value of '\(name)'")
        }
        return text
    }

    private static func unreadable(_ source: String, _ name: String, _ code: Int32) -> CommandError {
        CommandError(.usage, "cannot read the value of '\(name)' from \(source): \(String(cString: strerror(code)))")
    }

    private static func tooLong(_ name: String, _ source: String) -> CommandError {
        CommandError(.usage, "\(source) is too long for '\(name)': a value may have at most \(maximumBytes) bytes")
    }
}
