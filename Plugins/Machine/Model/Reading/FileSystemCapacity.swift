import Glibc

/// The size of a mounted file system, in bytes.
struct FileSystemCapacity: Hashable, Sendable {
    let totalBytes: UInt64
    let usedBytes: UInt64
    let freeBytes: UInt64

    init(totalBytes: UInt64, usedBytes: UInt64, freeBytes: UInt64) {
        self.totalBytes = totalBytes
        self.usedBytes = usedBytes
        self.freeBytes = freeBytes
    }

    /// Asks the kernel for the size. Nil when the mount point is a single file, such as `/etc/hosts` in a container, or
    /// when the file system has no size.
    ///
    /// - Throws: An error when the mount point can't be accessed.
    init?(mountPoint: String) throws(ProcFileError) {
        var status = stat()
        guard stat(mountPoint, &status) == 0 else { throw ProcFileError(path: mountPoint, code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return nil }
        var statistics = statvfs()
        guard statvfs(mountPoint, &statistics) == 0 else { throw ProcFileError(path: mountPoint, code: errno) }
        let blocks = UInt64(statistics.f_blocks)
        let free = min(UInt64(statistics.f_bfree), blocks)
        let (total, overflow) = blocks.multipliedReportingOverflow(by: UInt64(statistics.f_frsize))
        guard total > 0, !overflow else { return nil }
        let blockSize = UInt64(statistics.f_frsize)
        self.init(
            totalBytes: total, usedBytes: (blocks - free) * blockSize,
            freeBytes: min(UInt64(statistics.f_bavail), free) * blockSize)
    }
}
