package import Foundation
import Glibc

/// A folder for one test, which is removed with its contents when the test releases it.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter isLarge: Whether the folder will have more than some megabytes. Others are in memory: a disk to which
    ///   other processes write a lot, such as a compiler, takes seconds to confirm a write.
    package init(isLarge: Bool = false) throws {
        // A short path, because the path of a Unix-domain socket has at most 107 bytes.
        let base = !isLarge && Self.hasMemory ? "/dev/shm" : "/tmp"
        var template = Array("\(base)/scenebus-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether there is a file system in memory with enough room, from which programs can be run.
    private static let hasMemory = {
        var info = statvfs()
        guard statvfs("/dev/shm", &info) == 0, access("/dev/shm", W_OK) == 0 else { return false }
        // ST_NOEXEC, which the C library's module does not show.
        let allowsNoPrograms: UInt = 8
        return info.f_flag & allowsNoPrograms == 0 && info.f_bavail * info.f_frsize >= 1 << 30
    }()

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The sorted names of the folder's contents.
    package func contents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Writes a file, and creates the folders on its path.
    /// - Returns: The file's path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(text.utf8, to: name)
    }

    package func bytes(of name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    package func text(of name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }

    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    /// The file's type and permission bits. Symbolic links are not followed.
    package func mode(of name: String) throws -> mode_t {
        var status = stat()
        guard lstat("\(path)/\(name)", &status) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return status.st_mode
    }
}
