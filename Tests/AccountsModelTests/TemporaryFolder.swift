import Glibc

/// A folder for one test, removed with all its files when the test lets go of it.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/accounts-tests.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PosixFailure(code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in (try? contents()) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }

    func contents() throws -> [String] {
        guard let folder = opendir(path) else { throw PosixFailure(code: errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        guard let file = fopen("\(path)/\(name)", "w") else { throw PosixFailure(code: errno) }
        defer { fclose(file) }
        let bytes = Array(bytes)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw PosixFailure(code: errno) }
    }

    func read(_ name: String) throws -> [UInt8] {
        guard let file = fopen("\(path)/\(name)", "r") else { throw PosixFailure(code: errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return bytes
    }

    func mode(of name: String) throws -> mode_t {
        var status = stat()
        guard lstat("\(path)/\(name)", &status) == 0 else { throw PosixFailure(code: errno) }
        return status.st_mode
    }
}

struct PosixFailure: Error {
    let code: CInt
}
