import TestKit
import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct FileSystemCapacityTests {
    @Test func `a real folder has a size that adds up`() throws {
        let folder = try TemporaryFolder()
        let capacity = try #require(try FileSystemCapacity(mountPoint: folder.path))
        #expect(capacity.totalBytes > 0)
        #expect(capacity.usedBytes + capacity.freeBytes <= capacity.totalBytes)
    }

    @Test func `a single file has none`() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "hosts")
        #expect(try FileSystemCapacity(mountPoint: "\(folder.path)/hosts") == nil)
    }

    @Test func `a file system without a size has none`() throws {
        #expect(try FileSystemCapacity(mountPoint: "/proc") == nil)
    }

    @Test func `a mount point that isn't there is an error that names it`() {
        let error = #expect(throws: ProcFileError.self) { try FileSystemCapacity(mountPoint: "/no/such/folder") }
        #expect(error?.description == "/no/such/folder: No such file or directory")
    }
}
