import Glibc
import PeerLink

/// A file beside the store that contains the epoch of the last host.
///
/// The store contains the epoch too, but a store on a full disk cannot be written, and a host runs all the same. If
/// the clock is then set back, the next host would get the same epoch, and fencing tokens and revisions would go
/// back. This file has a fixed size and is overwritten in place: on a file system without copy-on-write it needs no
/// more room once it exists.
package struct EpochFile: Sendable {
    /// The file's path: the store's, with `.epoch`.
    package let path: String

    /// The number of digits of an epoch, with leading zeros.
    private static let digits = 19

    package init(store: String) {
        path = store + ".epoch"
    }

    /// Reads the epoch.
    /// - Returns: `nil` when there is no file.
    /// - Throws: ``StoreError`` when the file cannot be read, belongs to another user, or does not contain an epoch.
    package func epoch() throws -> UInt64? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("opened", errno)
        }
        defer { close(descriptor) }
        try checkOwner(descriptor)
        var bytes = [UInt8](repeating: 0, count: Self.digits + 2)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw failure("read", errno) }
        guard count == Self.digits + 1, bytes[Self.digits] == UInt8(ascii: "\n"),
            let epoch = UInt64(String(decoding: bytes[..<Self.digits], as: UTF8.self)),
            epoch < HostStore.maximumEpoch
        else {
            throw StoreError(
                path: path, "it holds no epoch: remove it, once no host and no worker of this store runs",
                kind: .unsuitable)
        }
        return epoch
    }

    /// Writes an epoch and syncs it to the disk.
    /// - Throws: ``StoreError`` when there is no room for a new file, or the file cannot be written.
    package func record(_ epoch: UInt64) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return try make(epoch) }
        guard descriptor >= 0 else { throw failure("opened", errno) }
        defer { close(descriptor) }
        try checkOwner(descriptor)
        try write(epoch, to: descriptor)
    }

    /// Creates the file under a temporary name, and renames it when it is complete.
    private func make(_ epoch: UInt64) throws {
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw failure("created", errno) }
        defer { close(descriptor) }
        do {
            try write(epoch, to: descriptor)
            guard rename(new, path) == 0 else { throw failure("created", errno) }
        } catch {
            unlink(new)
            throw error
        }
        PrivateFolder.syncFolder(of: path)
    }

    private func write(_ epoch: UInt64, to descriptor: Int32) throws {
        let number = String(epoch)
        let text = String(repeating: "0", count: max(0, Self.digits - number.utf8.count)) + number + "\n"
        let count = text.withCString { pwrite(descriptor, $0, Self.digits + 1, 0) }
        guard count == Self.digits + 1 else { throw failure("written", count < 0 ? errno : ENOSPC) }
        guard fchmod(descriptor, 0o600) == 0, fdatasync(descriptor) == 0 else { throw failure("written", errno) }
    }

    private func checkOwner(_ descriptor: Int32) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("inspected", errno) }
        guard status.st_uid == geteuid() else {
            throw StoreError(
                path: path,
                "it belongs to user \(status.st_uid): run the host as that user, or give it to this one with chown",
                kind: .unsuitable)
        }
    }

    private func failure(_ what: String, _ code: Int32) -> StoreError {
        StoreError(
            path: path,
            "it cannot be \(what) (\(String(cString: strerror(code)))): make room, or check its owner and mode, and those of its folder"
        )
    }
}
