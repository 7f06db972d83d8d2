import Foundation

/// A small disk with a file system of its own, whose power can be cut: what was not synced is gone then, as on a real one.
///
/// The file system is ext4 in a file in memory. It is shut down as the file systems' own tests do it: from one moment on nothing
/// reaches the disk any more, neither what waits in memory to be written nor what its journal has not committed. What the file
/// system has handed to the disk is kept, in order: the cache of a real disk may lose more where it is not told to flush.
package struct LabDisk: Sendable {
    /// Where disks are.
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
            throw LabError("cannot make the folder \(folder): \(String(cString: strerror(errno)))")
        }
        // Its journal and tables take some of it.
        let size = megabytes + 6
        try await Tool.run("mount", ["-t", "tmpfs", "-o", "size=\(size * 8)m", "scenebus-lab", folder])
        // Each process on a machine of the lab has mounts of its own: they follow these, so that none keeps the disk in use.
        try await Tool.run("mount", ["--make-shared", folder])
        guard mkdir(files, 0o755) == 0, FileManager.default.createFile(atPath: image, contents: nil),
            truncate(image, off_t(size << 20)) == 0
        else { throw LabError("cannot make \(image): \(String(cString: strerror(errno)))") }
        do {
            // Nothing is kept back for root, who is the one who fills it.
            try await Tool.run("mkfs.ext4", ["-q", "-m", "0", image])
            try await mount()
        } catch {
            // Where there are no loop devices it can be filled all the same; cutting its power says that it cannot.
            try await Tool.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "scenebus-lab", files])
        }
    }

    private func mount() async throws { try await Tool.run("mount", ["-o", "loop", image, files]) }

    /// Cuts the power: returns at once, and nothing more reaches the disk. Its files cannot be used until ``restorePower()``.
    /// - Throws: ``LabError``.
    package func cutPower() throws {
        let descriptor = open(files, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LabError("cannot open \(files): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let shutDown: UInt = 0x8004_587d  // EXT4_IOC_SHUTDOWN
        // Without committing what the journal has.
        var flags: UInt32 = 2  // EXT4_GOING_FLAGS_NOLOGFLUSH
        guard ioctl(descriptor, shutDown, &flags) == 0 else {
            throw LabError(
                "cannot shut down the file system of \(files) (it is ext4 only where mkfs.ext4 and loop devices are): \(String(cString: strerror(errno)))"
            )
        }
    }

    /// Starts the disk again, with what had reached it.
    /// - Throws: ``LabError``.
    package func restorePower() async throws {
        try await Tool.run("umount", ["-l", files])
        // A copy: a process with mounts of its own may have the file system that is shut down for as long as it likes.
        try await Tool.run("cp", ["--sparse=always", image, "\(image).next"])
        try await Tool.run("mv", ["\(image).next", image])
        try await mount()
    }

    /// Removes it. One that was never mounted is removed all the same.
    func remove() async {
        for folder in [files, folder] { _ = try? await Tool.run("umount", ["-l", folder]) }
        rmdir(folder)
    }
}
