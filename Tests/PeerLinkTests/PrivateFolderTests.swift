import TestKit
import Glibc
import Testing

@testable import PeerLink

/// Which other users could put a socket where peers look for the host's socket.
@Suite(.timeLimit(.minutes(5)))
struct PrivateFolderTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/run" }

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
    }

    private func mode(_ path: String) -> mode_t {
        var info = stat()
        return lstat(path, &info) == 0 ? info.st_mode & 0o7777 : 0
    }

    private func problem(_ path: String, user: uid_t = geteuid()) -> PrivatePathError? {
        do throws(PrivatePathError) {
            try PrivateFolder.check(path, user: user)
            return nil
        } catch {
            return error
        }
    }

    private func makingProblem(_ path: String) -> PrivatePathError? {
        do throws(PrivatePathError) {
            try PrivateFolder.make(path)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - A peer's

    @Test func `A folder of this user is safe, and a missing one is refused`() {
        #expect(problem(path)?.code == .missing)
        mkdir(path, 0o700)
        #expect(problem(path) == nil)
    }

    @Test func `A folder of another user is not safe`() {
        mkdir(path, 0o700)
        let stranger = geteuid() + 1
        let error = problem(path, user: stranger)
        #expect(error?.code == .unsafe)
        // The folders above may belong to root or to the same user.
        #expect(error?.description.contains("belongs to user \(geteuid())") == true)
    }

    @Test(arguments: [0o777, 0o702, 0o1777] as [mode_t])
    func `A folder that others may write to is not safe`(mode: mode_t) {
        mkdir(path, 0o700)
        chmod(path, mode)
        #expect(problem(path)?.code == .unsafe)
        #expect(problem(path)?.description.contains("every user") == true)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `A folder that a group may write to is not safe`() {
        mkdir(path, 0o700)
        chown(path, 0, 4242)
        chmod(path, 0o2775)
        #expect(problem(path)?.description.contains("group 4242") == true)
        #expect(makingProblem(path)?.code == .unsafe)
    }

    @Test func `A parent folder that others may write to is not safe unless it has the sticky bit`() {
        mkdir(path, 0o700)
        chmod(folder.path, 0o777)
        #expect(problem(path)?.code == .unsafe)
        #expect(problem(path)?.description.contains(folder.path) == true)
        #expect(PrivateFolder.isShared(parentOf: path))
        chmod(folder.path, 0o1777)
        #expect(problem(path) == nil)
        #expect(PrivateFolder.isShared(parentOf: path))
        chmod(folder.path, 0o755)
        #expect(!PrivateFolder.isShared(parentOf: path))
    }

    @Test func `A symbolic link is followed, and the folders on its path are checked`() {
        mkdir("\(folder.path)/real", 0o700)
        mkdir("\(folder.path)/real/run", 0o700)
        symlink("real", "\(folder.path)/link")
        symlink("\(folder.path)/link/../real/./run", path)
        #expect(problem(path) == nil)
        chmod("\(folder.path)/real", 0o777)
        #expect(problem(path)?.description.contains("\(folder.path)/real") == true)
    }

    @Test func `A circular link or a file is not a usable folder`() throws {
        symlink("run", path)
        #expect(problem(path)?.code == .unusable)
        try folder.write("", to: "file")
        #expect(problem("\(folder.path)/file")?.code == .unusable)
        #expect(problem("\(folder.path)/file/run")?.code == .unusable)
        #expect(problem("")?.code == .unusable)
    }

    @Test func `An endpoint's folder is checked, and only a socket in the file system has a folder`() {
        func problem(_ endpoint: String) -> PrivatePathError? {
            do throws(PrivatePathError) {
                try PrivateFolder.check(endpoint: endpoint)
                return nil
            } catch {
                return error
            }
        }
        mkdir(path, 0o700)
        #expect(problem("ipc://\(path)/bus") == nil)
        #expect(problem("tcp://192.0.2.7:5570") == nil)
        #expect(problem("inproc://test/bus") == nil)
        #expect(problem("ipc://@bus")?.code == .unsafe)
        #expect(problem("ipc://bus")?.code == .unusable)
        #expect(problem(HostDirectory(folder: "").endpoint)?.description.contains("SCENEBUS_RUNTIME") == true)
        let foreign = #expect(throws: PrivatePathError.self) {
            try PrivateFolder.check(endpoint: "ipc://\(path)/bus", user: geteuid() + 1)
        }
        #expect(foreign?.description.contains("sudo -u '#\(geteuid())'") == true)
        #expect(foreign?.description.contains("over TCP with --host") == true)
        #expect(foreign?.description.contains("fix that") == false)
        let long = problem("ipc://\(path)/\(String(repeating: "x", count: 100))/bus")
        #expect(long?.description.contains("107") == true)
        #expect(long?.description.contains("SCENEBUS_RUNTIME") == true)
    }

    // MARK: - A host's

    @Test func `A new folder is accessible only to its user`() {
        #expect(makingProblem("\(path)/a/b") == nil)
        for part in ["", "/a", "/a/b"] { #expect(mode(path + part) == 0o700) }
    }

    @Test(arguments: [0o755, 0o750, 0o711, 0o2755, 0o500] as [mode_t])
    func `A folder that others may enter is made private`(mode: mode_t) {
        mkdir(path, 0o700)
        chmod(path, mode)
        #expect(makingProblem(path) == nil)
        #expect(self.mode(path) == 0o700)
    }

    @Test func `A folder that others may write to is refused, because it may contain their files`() {
        mkdir(path, 0o700)
        chmod(path, 0o777)
        #expect(makingProblem(path)?.code == .unsafe)
        #expect(mode(path) == 0o777)
    }

    // MARK: - Where it is

    @Test func `The folder comes from the environment, else from the system's runtime folder, else from home`() {
        let user = geteuid()
        func base(_ environment: [String: String], user: uid_t = geteuid()) -> String? {
            HostDirectory.base(of: user, runtimes: folder.path) { environment[$0] }
        }
        #expect(base(["SCENEBUS_RUNTIME": "/a", "XDG_RUNTIME_DIR": "/b", "HOME": "/c"]) == "/a")
        #expect(base(["SCENEBUS_RUNTIME": "a"])?.hasSuffix("/a") == true)
        #expect(base(["SCENEBUS_RUNTIME": "a"])?.hasPrefix("/") == true)
        #expect(base(["SCENEBUS_RUNTIME": "", "XDG_RUNTIME_DIR": "/b", "HOME": "/c"]) == "/b/scenebus")
        #expect(base(["XDG_RUNTIME_DIR": "b", "HOME": "/c"]) == "/c/.local/state/scenebus/run")
        mkdir("\(folder.path)/\(user)", 0o700)
        #expect(base(["HOME": "/c"]) == "\(folder.path)/\(user)/scenebus")
        // An existing folder of another user is not used.
        let stranger = user + 1
        mkdir("\(folder.path)/\(stranger)", 0o700)
        #expect(base(["HOME": "/c"], user: stranger) == "/c/.local/state/scenebus/run")
        // No user has this id.
        #expect(base([:], user: 4_000_000_000) == nil)
    }

    @Test func `Without HOME the home folder comes from the user database`() throws {
        let home = try #require(UserAccount.home { _ in nil })
        #expect(home.hasPrefix("/"))
        #expect(UserAccount.home { _ in "here" } == home)
        #expect(UserAccount.home { _ in "/there" } == "/there")
    }

    @Test func `A temporary folder is new, private, and has room for the address of a socket`() throws {
        let names = try (0..<2).map { _ in try PrivateFolder.makeTemporary("test") { _ in folder.path } }
        defer { for name in names { rmdir(name) } }
        #expect(Set(names).count == 2)
        for name in names {
            #expect(mode(name) == 0o700)
            #expect(name.hasPrefix("\(folder.path)/test-"))
        }
        let long = "\(folder.path)/" + String(repeating: "x", count: 80)
        mkdir(long, 0o700)
        let other = try PrivateFolder.makeTemporary("test") { _ in long }
        defer { rmdir(other) }
        #expect(other.hasPrefix("/tmp/test-"))
    }

    @Test func `A folder or a link that was there before is not used as a temporary folder`() throws {
        // What another user of a shared folder could foresee: the name with the id of the process.
        let (foreseen, target) = ("\(folder.path)/test-\(getpid())", "\(folder.path)/target")
        #expect(mkdir(target, 0o777) == 0)
        #expect(symlink(target, "\(folder.path)/test") == 0 && symlink(target, foreseen) == 0)
        let name = try PrivateFolder.makeTemporary("test") { _ in folder.path }
        defer { rmdir(name) }
        var status = stat()
        #expect(lstat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid())
        #expect(mkdir("\(name)/inside", 0o700) == 0)
        defer { rmdir("\(name)/inside") }
        // Nothing was made in what was there before.
        #expect(rmdir(target) == 0)
    }
}
