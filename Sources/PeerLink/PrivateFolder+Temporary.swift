import Glibc

/// Folders for a while.
extension PrivateFolder {
    /// The maximum length of the path of a temporary folder, so that there is room for the address of a socket in it.
    private static let maximumTemporary = 64

    /// Makes a new folder that only this user can enter, with a name that nobody can foresee: in a shared folder such as
    /// `/tmp`, another user could otherwise make it first, and put programs or links into it.
    ///
    /// It is in `TMPDIR`, or in `/tmp` when there is no such folder or its path is too long for sockets. The caller
    /// removes it.
    /// - Parameter name: the beginning of the folder's name.
    /// - Throws: ``PrivatePathError``.
    package static func makeTemporary(
        _ name: String, environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws(PrivatePathError) -> String {
        let wanted = environment("TMPDIR") ?? ""
        var parents = ["/tmp"]
        if wanted.hasPrefix("/"), wanted.utf8.count + name.utf8.count + 8 <= maximumTemporary {
            parents = [wanted, "/tmp"]
        }
        var code: Int32 = 0
        for parent in parents {
            var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
            if mkdtemp(&template) != nil {
                return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
            code = errno
        }
        throw PrivatePathError(
            .unusable,
            "no temporary folder can be made in \(parents[0]): \(String(cString: strerror(code))); set TMPDIR")
    }
}
