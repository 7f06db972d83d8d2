import Foundation
import Glibc
import TestKit
import Testing

@testable import NetworkLab

@Suite(.serialized, .timeLimit(.minutes(5)))
struct LabDiskTests {
    @Test("Only a folder of this user counts as its own, neither a link to one, nor a file, nor another user's folder")
    func ownFolder() throws {
        let place = try TemporaryFolder()
        let (folder, link, file) = ("\(place.path)/folder", "\(place.path)/link", "\(place.path)/file")
        #expect(mkdir(folder, 0o755) == 0 && symlink(folder, link) == 0)
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        #expect(LabDisk.isOwnFolder(folder))
        #expect(!LabDisk.isOwnFolder(link))
        #expect(!LabDisk.isOwnFolder(file))
        // Only root can give a folder away.
        if geteuid() == 0 {
            #expect(chown(folder, 65_534, 65_534) == 0)
            #expect(!LabDisk.isOwnFolder(folder))
        }
        #expect(!LabDisk.isOwnFolder("\(place.path)/missing"))
    }

    @Test(
        "A link with the name of a dead maker's disk is not followed, and a disk that a dead maker left is removed",
        .enabled(if: LabObstacle.here == nil, "\(LabObstacle.here?.description ?? "")"))
    func orphanedDisks() async throws {
        func isMounted(_ path: String) throws -> Bool {
            try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8).contains(" \(path) ")
        }
        func path() -> String {
            let maker = LabName(maker: getpid(), makerStart: 1, number: .random(in: .min ... .max))
            return "\(LabDisk.parent)/\(maker.namespace("disk"))"
        }
        let place = try TemporaryFolder()
        try await Tool.run("mount", ["-t", "tmpfs", "-o", "size=1m", "scenebus-lab", place.path])
        let (link, folder) = (path(), path())
        #expect(symlink(place.path, link) == 0)
        // A folder of this user in which the files are a link.
        let inner = path()
        #expect(mkdir(inner, 0o755) == 0 && symlink(place.path, "\(inner)/files") == 0)
        #expect(mkdir(folder, 0o755) == 0)
        try await Tool.run("mount", ["-t", "tmpfs", "-o", "size=1m", "scenebus-lab", folder])
        await NetworkLab.removeOrphans()
        #expect(try isMounted(place.path))
        #expect(try !isMounted(folder))
        #expect(access(folder, F_OK) != 0)
        unlink(link)
        unlink("\(inner)/files")
        rmdir(inner)
        try await Tool.run("umount", [place.path])
    }
}
