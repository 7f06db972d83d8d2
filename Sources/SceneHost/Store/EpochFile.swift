import Glibc
import PeerLink

/// A file beside the store that contains the epoch of the last host, and the number of the store's last write.
///
/// The store contains the epoch too, but a store on a full disk cannot be written, and a host runs all the same. If
/// the clock is then set back, the next host would get the same epoch, and fencing tokens and revisions would go
/// back. This file has a fixed size and is overwritten in place: on a file system without copy-on-write it needs no
/// more room once it exists.
///
/// The number of the last write is at most that of the store, because it is written after the commit, and not synced.
/// A store with a smaller number has lost writes: its log was damaged, or an older copy was put in its place.
package struct EpochFile: Sendable {
    /// The file's path: the store's, with `.epoch`.
    package let path: String

    /// The upper bound of an epoch: a fencing token is the epoch and 20 more bits, stored as a signed 64-bit integer.
    package static let maximumEpoch = Int64(1) << 43

    /// The number of digits of an epoch, with leading zeros.
    private static let digits = 19

    package init(store: String) {
        path = store + ".epoch"
    }

    /// The content of the file.
    package struct Content: Hashable, Sendable {
        package var epoch: UInt64
        /// The number of the store's last write; 0 in a file of an earlier version.
        package var changes: UInt64
    }

    /// Reads the file.
    /// - Returns: `nil` when there is no file.
    /// - Throws: ``StoreError`` when the file cannot be read, belongs to another user, or does not contain an epoch.
    package func content() throws -> Content? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("opened", errno)
        }
        defer { close(descriptor) }
        try checkOwner(descriptor)
        var bytes = [UInt8](repeating: 0, count: 2 * Self.digits + 3)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw failure("read", errno) }
        guard let content = Self.content(of: bytes.prefix(count)), content.epoch < Self.maximumEpoch else {
            throw StoreError(
                path: path, "it holds no epoch: remove it, once no host and no worker of this store runs",
                kind: .unsuitable)
        }
        return content
    }

    private static func content(of bytes: ArraySlice<UInt8>) -> Content? {
        guard bytes.last == UInt8(ascii: "\n") else { return nil }
        let numbers = bytes.dropLast().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard numbers.count <= 2, numbers.allSatisfy({ $0.count == digits }) else { return nil }
        let values = numbers.compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        guard values.count == numbers.count, let epoch = values.first else { return nil }
        return Content(epoch: epoch, changes: values.count > 1 ? values[1] : 0)
    }

    /// Writes the number of the store's last write, if the file exists. It is not synced, and errors are ignored: the
    /// file only has a smaller number then.
    package func note(changes: UInt64) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard (try? checkOwner(descriptor)) != nil else { return }
        let text = Self.text(of: changes)
        _ = text.withCString { pwrite(descriptor, $0, text.utf8.count, off_t(Self.digits)) }
    }

    /// The second part of the file.
    private static func text(of changes: UInt64) -> String { " \(padded(changes))\n" }

    private static func padded(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// Writes an epoch and syncs it to the disk.
    /// - Throws: ``StoreError`` when there is no room for a new file, or the file cannot be written.
    package func record(_ epoch: UInt64, changes: UInt64 = 0) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return try make(epoch, changes) }
        guard descriptor >= 0 else { throw failure("opened", errno) }
        defer { close(descriptor) }
        try checkOwner(descriptor)
        try write(epoch, changes, to: descriptor)
    }

    /// Creates the file under a temporary name, and renames it when it is complete.
    private func make(_ epoch: UInt64, _ changes: UInt64) throws {
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw failure("created", errno) }
        defer { close(descriptor) }
        do {
            try write(epoch, changes, to: descriptor)
            guard rename(new, path) == 0 else { throw failure("created", errno) }
        } catch {
            unlink(new)
            throw error
        }
        PrivateFolder.syncFolder(of: path)
    }

    private func write(_ epoch: UInt64, _ changes: UInt64, to descriptor: Int32) throws {
        let text = Self.padded(epoch) + Self.text(of: changes)
        let count = text.withCString { pwrite(descriptor, $0, text.utf8.count, 0) }
        guard count == text.utf8.count else { throw failure("written", count < 0 ? errno : ENOSPC) }
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
