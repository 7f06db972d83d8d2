import Glibc

/// The reason why a file of `/proc` couldn't be read or parsed.
struct ProcFileError: Error, CustomStringConvertible {
    let description: String

    init(path: String, code: CInt) {
        // Thread-safe: since glibc 2.32 the text is stored per thread.
        description = "\(path): \(String(cString: strerror(code)))"
    }

    init(path: String, content: String) {
        description = "\(path): \(content)"
    }
}
