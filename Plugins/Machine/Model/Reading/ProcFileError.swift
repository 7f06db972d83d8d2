import Glibc

/// Why a file of `/proc` gave nothing.
struct ProcFileError: Error, CustomStringConvertible {
    let description: String

    init(path: String, code: CInt) {
        // glibc keeps this text per thread since 2.32.
        description = "\(path): \(String(cString: strerror(code)))"
    }

    init(path: String, content: String) {
        description = "\(path): \(content)"
    }
}
