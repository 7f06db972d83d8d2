import Glibc
import TestKit
import Testing

@testable import PeerLink

@Suite(.timeLimit(.minutes(5)))
struct LockHolderTests {
    @Test func `The process that holds a lock is found without taking the lock`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: "lock")
        #expect(LockHolder.process(of: path) == nil)
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(LockHolder.process(of: path) == getpid())
        #expect(LockHolder.process(of: "\(folder.path)/none") == nil)
    }

    @Test func `Only the lock of a whole file counts`() {
        let locks = """
            1: POSIX  ADVISORY  WRITE 11 08:01:77 0 EOF
            2: FLOCK  ADVISORY  WRITE 12 08:01:770 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 13 08:01:77 0 EOF
            3: FLOCK  ADVISORY  WRITE 14 08:01:77 0 EOF
            """
        #expect(LockHolder.processes(holding: 77, in: locks) == [14])
        #expect(LockHolder.processes(holding: 78, in: locks).isEmpty)
    }

    @Test func `A process that has locked a file with the same inode on another file system is not named`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: "lock")
        var info = stat()
        #expect(stat(path, &info) == 0)
        let locks = """
            1: FLOCK  ADVISORY  WRITE \(getppid()) 00:99:\(info.st_ino) 0 EOF
            2: FLOCK  ADVISORY  WRITE \(getpid()) 08:01:\(info.st_ino) 0 EOF
            """
        #expect(LockHolder.process(holding: info, in: locks) == nil)
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        #expect(LockHolder.process(holding: info, in: locks) == getpid())
    }
}
