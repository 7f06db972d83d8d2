import FoundationEssentials
import Glibc

/// A folder for one test, removed with all that is in it when the test lets go of it.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/machine-tests.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PosixFailure(code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and makes the folders on the way to it.
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        let file = "\(path)/\(name)"
        let folder = String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard let stream = fopen(file, "w") else { throw PosixFailure(code: errno) }
        defer { fclose(stream) }
        let bytes = Array(bytes)
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw PosixFailure(code: errno) }
    }

    func write(_ text: String, to name: String) throws {
        try write(text.utf8, to: name)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
}

struct PosixFailure: Error {
    let code: CInt
}
