import Foundation

/// A small disk with its own file system, whose power can be cut. Unsynced data is lost then, as on a real disk.
///
/// The file system is ext4 in a file in memory. It is shut down with the mechanism of the file systems' own tests: from
/// that moment nothing reaches the disk, neither dirty pages nor uncommitted journal entries. Everything that the file
/// system has submitted to the disk is kept, in order. The cache of a real disk may lose more if it is not flushed.
package struct LabDisk: Sendable {
    /// The folder of all disks.
    static let parent = "/tmp"

    private let folder: String

    init(folder: String) {
        self.folder = folder
    }

    /// The folder of its files.
    package var files: String { "\(folder)/files" }
    private var image: String { "\(folder)/image" }

    func make(megabytes: Int) async throws {
        guard mkdir(folder, 0o755) == 0 else {
            throw LabError("cannot create the folder \(folder): \(String(cString: strerror(errno)))")
        }
        // The journal and the tables of the file system use part of the space.
        let size = megabytes + 6
        // The mode keeps other users from putting links into it.
        try await Tool.run("mount", ["-t", "tmpfs", "-o", "mode=755,size=\(size * 8)m", "scenebus-lab", folder])
        // Each process on a machine of the lab has its own copy of the mounts. Unmounting propagates to these copies,
        // so that no process keeps the disk in use.
        try await Tool.run("mount", ["--make-shared", folder])
        guard mkdir(files, 0o755) == 0, FileManager.default.createFile(atPath: image, contents: nil),
            truncate(image, off_t(size << 20)) == 0
        else { throw LabError("cannot create \(image): \(String(cString: strerror(errno)))") }
        do {
            // No space is reserved for root, because the process that fills the disk runs as root.
            try await Tool.run("mkfs.ext4", ["-q", "-m", "0", image])
            try await mount()
        } catch {
            // Without loop devices the disk can still be filled, but cutting its power fails with an error.
            try await Tool.run("mount", ["-t", "tmpfs", "-o", "mode=755,size=\(megabytes)m", "scenebus-lab", files])
        }
    }

    private func mount() async throws { try await Tool.run("mount", ["-o", "loop", image, files]) }

    /// Cuts the power. Nothing reaches the disk afterwards, and its files cannot be used until ``restorePower()``.
    /// - Throws: ``LabError`` when the file system cannot be shut down.
    package func cutPower() throws {
        let descriptor = open(files, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LabError("cannot open \(files): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let shutDown: UInt = 0x8004_587d  // EXT4_IOC_SHUTDOWN
        // Without committing the journal.
        var flags: UInt32 = 2  // EXT4_GOING_FLAGS_NOLOGFLUSH
        guard ioctl(descriptor, shutDown, &flags) == 0 else {
            throw LabError(
                "cannot shut down the file system of \(files) (needs mkfs.ext4 and loop devices): \(String(cString: strerror(errno)))"
            )
        }
    }

    /// Restores the power, with the data that had reached the disk.
    /// - Throws: ``LabError`` when the disk cannot be mounted again.
    package func restorePower() async throws {
        try await Tool.run("umount", ["-l", files])
        // Mounts a copy, because a process with its own mounts may keep the old file system in use.
        try await Tool.run("cp", ["--sparse=always", image, "\(image).next"])
        try await Tool.run("mv", ["\(image).next", image])
        try await mount()
    }

    /// Removes the disk, even if it was never mounted.
    ///
    /// Anybody can put a link under the name of a disk into the folder of all disks, and `umount` would follow it.
    func remove() async {
        guard Self.isOwnFolder(folder) else { return }
        for folder in [files, folder] where Self.isOwnFolder(folder) {
            _ = try? await Tool.run("umount", ["-l", folder])
        }
        rmdir(folder)
    }

    /// Whether a path names a folder of this user, and not a link to one. Nobody else can replace it then, because the
    /// folder that it is in is either sticky or of this user, too.
    static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }
}
