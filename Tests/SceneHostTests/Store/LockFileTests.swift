import TestKit
import Foundation
import Glibc
import PeerLink
import Synchronization
import Testing

@testable import SceneHost

/// Only one process holds the lock at a time, even while the lock changes hands.
@Suite(.timeLimit(.minutes(5)))
struct LockFileTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/lock" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private final class Seen: Sendable {
        let holders = Atomic(0)
        let most = Atomic(0)
    }

    private func holder() -> String? {
        do {
            try LockFile(path).release()
            return nil
        } catch LockFile.Failure.held(let owner) {
            return owner
        } catch {
            return "\(error)"
        }
    }

    @Test func `The error names the process that holds the lock, and the lock is free after its release`() throws {
        let lock = try LockFile(path)
        #expect(holder() == "process \(getpid())")
        lock.release()
        #expect(access(path, F_OK) != 0)
        #expect(holder() == nil)
    }

    @Test func `A lock file that is removed after it was opened is opened again`() throws {
        let first = try LockFile(path)
        var opened = 0
        // Opened while the first process holds the lock, and locked after that process has removed the file.
        let second = try LockFile(path) {
            opened += 1
            if opened == 1 { first.release() }
        }
        #expect(opened == 2)
        #expect(holder() == "process \(getpid())")
        second.release()
        #expect(holder() == nil)
    }

    @Test func `A lock file left by a dead process is free`() throws {
        try folder.write("99999999\n", to: "lock")
        #expect(holder() == nil)
    }

    @Test func `Anything but a plain file is refused, and a link is not followed`() throws {
        mkfifo(path, 0o600)
        #expect(holder()?.contains("no file") == true)
        unlink(path)
        symlink("\(folder.path)/other", path)
        #expect(holder()?.contains("cannot be opened") == true)
        #expect(access("\(folder.path)/other", F_OK) != 0)
    }

    @Test func `Only one host at a time has a runtime folder, however often it changes hands`() async throws {
        let directory = HostDirectory(folder: "\(folder.path)/run")
        let seen = Seen()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        guard let lock = try? HostLock(directory) else { continue }
                        seen.most.max(seen.holders.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                        seen.holders.subtract(1, ordering: .relaxed)
                        lock.release()
                    }
                }
            }
        }
        #expect(seen.most.load(ordering: .relaxed) == 1)
    }
}
