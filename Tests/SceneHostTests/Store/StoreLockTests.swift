@testable import Hub
import TestKit
import Bus
import CoordinatorKit
import Foundation
import Glibc
import PeerLink
import Testing

@testable import SceneHost

/// Only one host at a time has a store, whichever name it opens the store by.
@Suite(.timeLimit(.minutes(5)))
struct StoreLockTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/sessions.sqlite" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func refusal(_ path: String) -> HostError? {
        do {
            try StoreLock(path).release()
            return nil
        } catch {
            return error as? HostError
        }
    }

    @Test func `A second host is refused, and the error names the process and the remedy`() throws {
        let lock = try StoreLock(path)
        let error = try #require(refusal(path))
        #expect(error.code == .inUse)
        for word in [path, "process \(getpid())", "--store"] { #expect(error.description.contains(word)) }
        lock.release()
        #expect(refusal(path) == nil)
    }

    @Test func `Links and indirect paths lead to the same store, even before it exists`() throws {
        mkdir("\(folder.path)/sub", 0o700)
        symlink("../sessions.sqlite", "\(folder.path)/sub/link")
        symlink(folder.path, "\(folder.path)/folder")
        let names = ["sub/link", "folder/sessions.sqlite", "sub/../sessions.sqlite", "folder/sub/link"]
        for isThere in [false, true] {
            if isThere { try folder.write("", to: "sessions.sqlite") }
            let lock = try StoreLock(path)
            for name in names {
                #expect(refusal("\(folder.path)/\(name)")?.code == .inUse, "\(name)")
            }
            lock.release()
            for name in names {
                let other = try StoreLock("\(folder.path)/\(name)")
                #expect(other.path == path)
                #expect(refusal(path)?.code == .inUse, "\(name)")
                other.release()
            }
        }
    }

    @Test func `A file with two hard links is refused`() throws {
        try folder.write("", to: "sessions.sqlite")
        link(path, "\(folder.path)/other")
        let error = try #require(refusal(path))
        #expect(error.code == .usage)
        #expect(error.description.contains("hard links"))
    }

    @Test func `A folder in the place of a store is called one, and gets no lock`() throws {
        mkdir("\(folder.path)/sub", 0o700)
        let error = try #require(refusal("\(folder.path)/sub"))
        #expect(error.code == .usage)
        #expect(error.description.contains("it is a folder; name a file in it with --store"))
        #expect(try folder.contents() == ["sub"])
    }

    @Test func `A folder whose parent others may write to is refused`() throws {
        mkdir("\(folder.path)/sub", 0o700)
        chmod(folder.path, 0o777)
        let error = try #require(refusal("\(folder.path)/sub/sessions.sqlite"))
        #expect(error.code == .refused)
        chmod(folder.path, 0o755)
        #expect(refusal("\(folder.path)/sub/sessions.sqlite") == nil)
    }

    @Test(arguments: [0o777, 0o1777] as [mode_t])
    func `A folder in which others may create files beside the store is refused`(mode: mode_t) throws {
        chmod(folder.path, mode)
        let error = try #require(refusal(path))
        #expect(error.code == .refused)
        for word in [folder.path, "every user", "--store"] { #expect(error.description.contains(word), "\(error)") }
        chmod(folder.path, 0o755)
        #expect(refusal(path) == nil)
    }

    /// A link at the end of the path, and one to a folder on its way.
    @Test(arguments: ["", "/sessions.sqlite"])
    func `A link of another user in a folder that all may write to is refused`(rest: String) throws {
        let link = "/tmp/scenebus-link-\(UInt64.random(in: .min ... .max))"
        let target = rest.isEmpty ? path : folder.path
        #expect(symlink(target, link) == 0)
        defer { unlink(link) }
        #expect(try StoreLock.realPath(of: link + rest) == path)
        // Root gives it to somebody; everybody else looks at it as somebody.
        let other: uid_t = 12_345
        if geteuid() == 0 { #expect(lchown(link, other, other) == 0) }
        let user = geteuid() == 0 ? 0 : other
        let error = #expect(throws: HostError.self) { try StoreLock.realPath(of: link + rest, user: user) }
        #expect(error?.code == .refused)
        for word in [link, "symbolic link of user", "--store"] { #expect(error?.description.contains(word) == true) }
    }

    @Test func `A missing folder is named in the error, and a circular link is refused`() {
        #expect(refusal("\(folder.path)/none/sessions.sqlite")?.description.contains("\(folder.path)/none") == true)
        symlink("loop", "\(folder.path)/loop")
        #expect(refusal("\(folder.path)/loop")?.code == .usage)
    }
}

extension LiveTests {
    /// Hosts that share a store, one after the other and at the same time.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SharedStoreHostTests {
        @Test("Of two hosts with different runtime folders, only one gets a store")
        func second() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            symlink(store, "\(folder.path)/link")
            try await withHost(in: folder, configure: { $0.store = store }) { _ in
                let error = await #expect(throws: HostError.self) {
                    try await withHost(
                        in: folder,
                        configure: {
                            $0.directory = HostDirectory(folder: "\(folder.path)/other")
                            $0.store = "\(folder.path)/link"
                        }
                    ) { _ in }
                }
                #expect(error?.code == .inUse)
                #expect(error?.description.contains("process \(getpid())") == true)
            }
            try await withHost(in: folder, configure: { $0.store = store }) { _ in }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                    "link", "sessions.sqlite", "sessions.sqlite-shm", "sessions.sqlite-wal", "sessions.sqlite.epoch",
                ])
        }

        @Test("A host whose store another host has taken over reports that, and stops writing")
        func superseded() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            try await withHost(in: folder, configure: { $0.store = path }) { live in
                try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                let id = try await client.open()
                // As on a file system where the lock has no effect.
                let other = try HostStore(path: path)
                try await other.write([.beginLife(epoch: live.host.hub.epoch + 1)])
                _ = try await client.act(id, "show", "7")
                try await live.until("the status reports the problem") {
                    try await client.chain.hostStatus().problems.contains {
                        $0.contains(path) && $0.contains("taken it over")
                    }
                }
                await #expect(throws: (any Error).self) { try await client.open() }
                #expect(try await other.sessions().map(\.id) == [id])
                #expect(try await other.lastLife().epoch == live.host.hub.epoch + 1)
            }
            #expect(try await HostStore(path: path).lastLife().endedCleanly == false)
        }

        @Test("A process that locks the store for a while delays writes, and nothing is lost")
        func locked() async throws {
            let folder = try TemporaryFolder()
            let store = try HostStore(path: "\(folder.path)/sessions.sqlite", busyTimeout: .milliseconds(10))
            let writer = StoreWriter(store, tries: .max)
            let other = try OtherProcess(store: "\(folder.path)/sessions.sqlite")
            try await other.lock()
            let record = SessionRecord(id: "a", role: "r", configuration: "Wall", position: 1)
            let saving = Task { try await writer.write(.saveSessions([record])) }
            while writer.problems.isEmpty { await Task.yield() }
            #expect(writer.problems.first?.contains("locked") == true)
            try await other.unlock()
            try await saving.value
            #expect(writer.problems.isEmpty)
            #expect(try await store.sessions() == [record])
        }

        @Test("A process that keeps the store locked makes a write fail with the reason")
        func keptLocked() async throws {
            let folder = try TemporaryFolder()
            let store = try HostStore(path: "\(folder.path)/sessions.sqlite", busyTimeout: .milliseconds(10))
            let writer = StoreWriter(store, tries: 2)
            let other = try OtherProcess(store: "\(folder.path)/sessions.sqlite")
            try await other.lock()
            let error = await #expect(throws: StoreError.self) { try await writer.write(.deleteSession("a")) }
            #expect(error?.kind == .busy)
            #expect(writer.problems.count == 1)
            // A probe finds the store still locked, and then free.
            writer.probe()
            await writer.finish()
            #expect(writer.problems.count == 1)
            try await other.unlock()
            writer.probe()
            await writer.finish()
            #expect(writer.problems.isEmpty)
        }

        @Test("Records are removed after their window even when no other request arrives")
        func forgotten() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            let now = Int64(Date().timeIntervalSince1970)
            let left: Int64 = 2
            let record = RequestRecord(
                peer: "buyer", id: MessageID(high: 1, low: 1), message: "orderPlace",
                time: now - OnceTable.Limits().window - OnceTable.margin + left)
            try await HostStore(path: path).write([.addRequest(record)])
            try await withHost(in: folder, configure: { $0.store = path }) { live in
                try await live.until("the record is removed from memory") { live.host.life?.once.count == 0 }
                try await live.until("row erased") { try await live.host.life?.writer.store.requests().isEmpty == true }
            }
        }
    }
}
