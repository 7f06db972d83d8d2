import Bus
import Glibc
import TestKit
import Testing
import ZeroMQ

@testable import PeerLink

struct KeyFolderTests {
    private let temporary: TemporaryFolder
    private let folder: KeyFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try KeyFolder("\(temporary.path)/keys")
    }

    private func mode(of path: String) throws -> mode_t {
        var info = stat()
        try #require(stat(path, &info) == 0)
        return info.st_mode & 0o7777
    }

    @Test func `The folder is that of the environment, or else that of the user's configuration`() throws {
        func path(_ variables: [String: String]) throws -> String { try KeyFolder(environment: { variables[$0] }).path }
        #expect(try path(["SCENEBUS_KEYS": "/a", "XDG_CONFIG_HOME": "/b", "HOME": "/c"]) == "/a")
        #expect(try path(["XDG_CONFIG_HOME": "/b", "HOME": "/c"]) == "/b/scenebus")
        #expect(try path(["XDG_CONFIG_HOME": "b", "HOME": "/c"]) == "/c/.config/scenebus")
        #expect(try path(["SCENEBUS_KEYS": "", "HOME": "/c"]) == "/c/.config/scenebus")
        #expect(try path(["SCENEBUS_KEYS": "a"]).hasSuffix("/a"))
    }

    @Test func `A key is made once, for this user alone`() throws {
        let (made, isNew) = try folder.keyOrNew(in: folder.ownKeyFile)
        #expect(isNew)
        #expect(try mode(of: folder.ownKeyFile) == 0o600)
        #expect(try mode(of: folder.path) == 0o700)
        let (read, isNewAgain) = try folder.keyOrNew(in: folder.ownKeyFile)
        #expect(!isNewAgain)
        #expect(read.publicKey == made.publicKey)
    }

    @Test func `A new key is never in a file of another name`() throws {
        try folder.make()
        let watch = inotify_init1(CInt(O_NONBLOCK | O_CLOEXEC))
        defer { close(watch) }
        try #require(inotify_add_watch(watch, folder.path, UInt32(IN_CREATE | IN_MOVED_TO)) >= 0)
        _ = try folder.keyOrNew(in: folder.ownKeyFile)
        var events = [UInt8](repeating: 0, count: 4096)
        let count = read(watch, &events, events.count)
        // An event is 16 bytes and the name, which is filled up with zeros.
        try #require(count > 16)
        #expect(String(decoding: events[16..<count].prefix { $0 != 0 }, as: UTF8.self) == "own.key")
        #expect(count <= 32)
    }

    @Test func `What a process has left behind that died while it made a key is removed`() throws {
        try folder.make()
        let dead = pid_t.max
        let kept = ["own.key.\(getpid()).new", "own.key.new", "key.\(dead)", "contexts.\(dead).new", "own.key.0.new"]
        let leftover = ["own.key.\(dead).new", "wall.host.next.key.\(dead).new"]
        for name in kept + leftover {
            let path = "\(folder.path)/\(name)"
            try PrivateFile.write("secret", to: path)
            let longAgo = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
            try #require(utimensat(AT_FDCWD, path, longAgo, 0) == 0)
        }
        // A process of another container may be about to use it.
        let young = "young.key.\(dead).new"
        try PrivateFile.write("secret", to: "\(folder.path)/\(young)")
        _ = try folder.keyOrNew(in: folder.ownKeyFile)
        for name in kept + [young] { #expect(access("\(folder.path)/\(name)", F_OK) == 0, "\(name)") }
        for name in leftover { #expect(access("\(folder.path)/\(name)", F_OK) != 0, "\(name)") }
    }

    @Test(arguments: ["", "scenebus-secret-key", "scenebus-secret-key 12", "hello", "scenebus-secret-key x y"])
    func `A file that has no key is neither used nor replaced`(text: String) throws {
        try folder.make()
        try PrivateFile.write(text, to: folder.ownKeyFile)
        let error = #expect(throws: PrivatePathError.self) { try folder.keyOrNew(in: folder.ownKeyFile) }
        #expect(error?.description.contains(folder.ownKeyFile) == true)
        #expect(error?.description.contains("backup") == true)
        #expect(try PrivateFile.read(folder.ownKeyFile, maximumSize: 100) == text)
    }

    @Test func `A key that others can read, or that is a link or a folder, is refused with the remedy`() throws {
        _ = try folder.keyOrNew(in: folder.ownKeyFile)
        chmod(folder.ownKeyFile, 0o640)
        let readable = #expect(throws: PrivatePathError.self) { try folder.key(in: folder.ownKeyFile) }
        #expect(readable?.code == .unsafe)
        #expect(readable?.description.contains("chmod 600") == true)
        chmod(folder.ownKeyFile, 0o600)
        symlink(folder.ownKeyFile, "\(folder.path)/link")
        let link = #expect(throws: PrivatePathError.self) { try folder.key(in: "\(folder.path)/link") }
        #expect(link?.code == .unsafe)
        let noFile = #expect(throws: PrivatePathError.self) { try folder.key(in: folder.path) }
        #expect(noFile?.code == .unusable)
        let missing = #expect(throws: PrivatePathError.self) { try folder.key(in: "\(folder.path)/no") }
        #expect(missing?.code == .missing)
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `A key that belongs to another user is refused with the remedy`() throws {
        let file = folder.ownKeyFile
        _ = try folder.keyOrNew(in: file)
        try #require(chown(file, 12_345, 12_345) == 0)
        let error = #expect(throws: PrivatePathError.self) { try folder.key(in: file) }
        #expect(error?.code == .unsafe)
        #expect(error?.description.contains("belongs to user 12345: make it yours with 'chown'") == true)
    }

    @Test func `A folder that others may write to is refused`() throws {
        try folder.make()
        chmod(folder.path, 0o777)
        let error = #expect(throws: PrivatePathError.self) { try folder.make() }
        #expect(error?.code == .unsafe)
    }

    @Test func `A large file is not read, and a list may be read by others but not written`() throws {
        try folder.make()
        let path = "\(folder.path)/list"
        try PrivateFile.write(String(repeating: "x", count: 100), to: path)
        #expect(throws: PrivatePathError.self) { try PrivateFile.read(path, maximumSize: 99) }
        chmod(path, 0o644)
        #expect(try PrivateFile.read(path, maximumSize: 100, isSecret: false).count == 100)
        chmod(path, 0o664)
        #expect(throws: PrivatePathError.self) { try PrivateFile.read(path, maximumSize: 100, isSecret: false) }
        // What is new must not replace anything.
        #expect(throws: PrivatePathError.self) { try PrivateFile.write("new", to: path, isNew: true) }
        #expect(PrivateFile.Version(of: path) == PrivateFile.Version(of: path))
        let before = PrivateFile.Version(of: path)
        try PrivateFile.write("new", to: path)
        #expect(PrivateFile.Version(of: path) != before)
    }
}
