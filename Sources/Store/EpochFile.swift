import Glibc

/// The epoch of the last life that a host began on a store, in a file beside it.
///
/// The store has it too, but a store on a full disk cannot be written, and a host runs all the same. Where the clock does not tell the
/// next life from this one, that would have the same epoch: fencing tokens and revisions would go back. This file has one size and
/// is written in its place, so that it needs no room once it is there.
package struct EpochFile: Sendable {
    /// The file's path: the store's, with `.epoch`.
    package let path: String

    /// An epoch has so many digits, with leading zeros.
    private static let digits = 19

    package init(store: String) {
        path = store + ".epoch"
    }

    /// Reads the epoch.
    /// - Returns: `nil` when there is no file.
    /// - Throws: ``StoreError`` when the file cannot be read, or holds something else.
    package func epoch() throws -> UInt64? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw error("it cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.digits + 2)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        // Empty: the disk was full when it was made.
        if count == 0 { return nil }
        guard count == Self.digits + 1, bytes[Self.digits] == UInt8(ascii: "\n"),
            let epoch = UInt64(String(decoding: bytes[..<Self.digits], as: UTF8.self)),
            epoch < HostStore.maximumEpoch
        else { throw error("it holds no epoch: remove it, once no host and no worker of this store runs") }
        return epoch
    }

    /// Writes an epoch down, and brings it to the disk.
    /// - Throws: ``StoreError`` when there is no room for a new file, or it cannot be written.
    package func record(_ epoch: UInt64) throws {
        var isNew = false
        var descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT {
            isNew = true
            descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        }
        guard descriptor >= 0 else { throw error("it cannot be opened: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let number = String(epoch)
        let text = String(repeating: "0", count: Self.digits - number.utf8.count) + number + "\n"
        let count = text.withCString { pwrite(descriptor, $0, Self.digits + 1, 0) }
        guard count == Self.digits + 1, fchmod(descriptor, 0o600) == 0, fdatasync(descriptor) == 0 else {
            throw error("it cannot be written: \(String(cString: strerror(errno)))")
        }
        if isNew { StoreFile.syncFolder(of: path) }
    }

    private func error(_ reason: String) -> StoreError { StoreError(path: path, reason) }
}
