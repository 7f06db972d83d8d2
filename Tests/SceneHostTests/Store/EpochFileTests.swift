import Foundation
import Glibc
import TestKit
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct EpochFileTests {
    private let folder: TemporaryFolder
    private let file: EpochFile

    init() throws {
        folder = try TemporaryFolder()
        file = EpochFile(store: folder.store)
    }

    private func status() throws -> stat {
        var status = stat()
        try #require(lstat(file.path, &status) == 0)
        return status
    }

    @Test func `The last recorded epoch is read, and a missing file means no epoch`() throws {
        #expect(try file.content() == nil)
        for epoch in [1, 1_795_000_000_000, UInt64(EpochFile.maximumEpoch) - 1, 7] as [UInt64] {
            try file.record(epoch)
            #expect(try file.content()?.epoch == epoch)
        }
    }

    @Test func `The file is private and rewritten in place, which works on a full disk`() throws {
        try file.record(1)
        let first = try status()
        try file.record(UInt64(EpochFile.maximumEpoch) - 1)
        let second = try status()
        #expect(first.st_ino == second.st_ino)
        #expect(first.st_size == second.st_size)
        #expect(second.st_mode == S_IFREG | 0o600)
    }

    @Test(
        arguments: [
            "", "\0\0\0", "1", "0000000000000000001", "0000000000000000001\n\n", "000000000000000000x\n",
            "9223372036854775807\n",
            "-000000000000000001\n", "0000000000000000001 1\n", "0000000000000000001 0000000000000000001",
        ])
    func `A file with other contents is refused, and the error says to remove it`(text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
        let error = #expect(throws: StoreError.self) { try file.content() }
        #expect(error?.description.contains("\(file.path): it holds no epoch: remove it") == true)
    }

    @Test func `A new file is renamed when complete, and a leftover of a crash does not matter`() throws {
        try Data("000".utf8).write(to: URL(fileURLWithPath: file.path + ".new"))
        try file.record(5)
        #expect(try file.content()?.epoch == 5)
        #expect(try folder.contents() == ["sessions.sqlite.epoch"])
    }

    @Test func `A file of another user is refused`() throws {
        try file.record(5)
        guard geteuid() == 0 else { return }
        #expect(chown(file.path, 12_345, 12_345) == 0)
        for body in [{ _ = try file.content() }, { try file.record(6) }] {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.description.contains("belongs to user 12345") == true)
        }
    }

    @Test func `A symbolic link is not followed, and a failed write is reported`() throws {
        #expect(symlink("elsewhere", file.path) == 0)
        #expect(throws: StoreError.self) { try file.content() }
        #expect(throws: StoreError.self) { try file.record(5) }
        #expect(throws: StoreError.self) { try EpochFile(store: "\(folder.path)/missing/store").record(5) }
    }
}
