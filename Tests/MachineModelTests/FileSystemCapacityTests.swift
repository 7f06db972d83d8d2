import TestKit
import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct FileSystemCapacityTests {
    @Test func `A real folder has a capacity that adds up`() throws {
        let folder = try TemporaryFolder()
        let capacity = try #require(try FileSystemCapacity(mountPoint: folder.path))
        #expect(capacity.totalBytes > 0)
        #expect(capacity.usedBytes + capacity.freeBytes <= capacity.totalBytes)
    }

    @Test func `A single file has no capacity`() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "hosts")
        #expect(try FileSystemCapacity(mountPoint: "\(folder.path)/hosts") == nil)
    }

    @Test func `A file system without a size has no capacity`() throws {
        #expect(try FileSystemCapacity(mountPoint: "/proc") == nil)
    }

    @Test func `The error for a missing mount point names it`() {
        let error = #expect(throws: ProcFileError.self) { try FileSystemCapacity(mountPoint: "/no/such/folder") }
        #expect(error?.description == "/no/such/folder: No such file or directory")
    }
}
