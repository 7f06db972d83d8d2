import Glibc

/// An open folder of `/proc`.
///
/// Files are opened relative to it. After a process has ended, reading from its folder fails, even if another process
/// has got the same id.
struct ProcDirectory: ~Copyable {
    let path: String
    private let descriptor: CInt

    /// - Throws: When there is no such folder or it can't be opened.
    init(path: String) throws(ProcFileError) {
        try self.init(path: path, opened: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }

    /// - Throws: When there is no such folder or it can't be opened.
    init(_ name: String, in parent: borrowing ProcDirectory) throws(ProcFileError) {
        try self.init(
            path: "\(parent.path)/\(name)",
            opened: openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }

    private init(path: String, opened descriptor: CInt) throws(ProcFileError) {
        guard descriptor >= 0 else { throw ProcFileError(path: path, code: errno) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Reads a file up to a limit; the last line is incomplete when the file is longer.
    ///
    /// - Throws: An error when it doesn't exist, can't be read, or its process has ended.
    func contents(of name: String, limit: Int) throws(ProcFileError) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe in a folder that isn't really /proc would wait for a writer.
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw ProcFileError(path: "\(path)/\(name)", code: errno) }
        defer { close(file) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 14))
        while content.count < limit {
            let count = read(file, &buffer, min(buffer.count, limit - content.count))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw ProcFileError(path: "\(path)/\(name)", code: errno) }
            if count == 0 { break }
            content += buffer[..<count]
        }
        return content
    }

    /// The subfolders whose names are process ids.
    ///
    /// - Throws: An error when the folder can't be listed.
    func processIDs() throws(ProcFileError) -> [Int32] {
        // closedir closes the descriptor of the stream, so the stream gets a duplicate.
        let listed = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { throw ProcFileError(path: path, code: errno) }
        guard let stream = fdopendir(listed) else {
            let code = errno
            close(listed)
            throw ProcFileError(path: path, code: code)
        }
        defer { closedir(stream) }
        var ids: [Int32] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if let id = ProcText.number(name).flatMap({ Int32(exactly: $0) }), id > 0 { ids.append(id) }
        }
        return ids.sorted()
    }
}
