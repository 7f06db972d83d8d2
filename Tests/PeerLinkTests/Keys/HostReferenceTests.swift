import Bus
import Glibc
import Messaging
import TestKit
import Testing
import ZeroMQ

@testable import PeerLink

struct HostReferenceTests {
    private let temporary: TemporaryFolder
    private let folder: KeyFolder
    private let key: PublicKey

    init() throws {
        temporary = try TemporaryFolder()
        folder = try KeyFolder("\(temporary.path)/keys")
        key = try KeyPair().publicKey
    }

    private func resolve(_ text: String, isInsecure: Bool = false) throws -> HostReference {
        try HostReference(text, isInsecure: isInsecure) { $0 == "SCENEBUS_KEYS" ? folder.path : nil }
    }

    private func addWall() throws {
        _ = try folder.keyOrNew(in: folder.ownKeyFile)
        var contexts = HostContexts()
        contexts.set(HostContext(name: "wall", address: "tcp://192.0.2.7:5570", key: key, ownName: "wall-3"))
        try folder.save(contexts)
    }

    // MARK: - The file

    @Test func `Contexts are read as they are written`() throws {
        var contexts = HostContexts()
        contexts.set(HostContext(name: "wall", address: "tcp://192.0.2.7:5570", key: key, ownName: "wall-3"))
        contexts.set(HostContext(name: "desk", address: "tcp://192.0.2.8:5570", key: key, ownName: "d"))
        #expect(contexts.use("no") == false)
        #expect(contexts.use("desk") == true)
        #expect(try HostContexts(contexts.text, file: "f") == contexts)
        contexts.set(HostContext(name: "wall", address: "tcp://192.0.2.9:5570", key: key, ownName: "wall-3"))
        #expect(contexts.contexts.map(\.name) == ["wall", "desk"])
        #expect(contexts.context(of: "tcp://192.0.2.9:5570")?.name == "wall")
        #expect(contexts.remove("desk") == true)
        #expect(contexts.remove("desk") == false)
        #expect(contexts.current == nil)
    }

    @Test(arguments: [
        "context wall", "context wall 192.0.2.7 KEY w", "context wall tcp://192.0.2.7:5570 12 w",
        "context .wall tcp://192.0.2.7:5570 KEY w", "context wall tcp://192.0.2.7:5570 KEY -", "current", "contxt wall",
        "context wall tcp://192.0.2.7:5570 KEY w next=12", "context wall tcp://192.0.2.7:5570 KEY w more",
        "context a tcp://192.0.2.7:5570 KEY w\ncontext a tcp://192.0.2.7:5570 KEY w",
    ])
    func `A line that is none is named`(text: String) throws {
        let text = text.replacing("KEY", with: "\(key)")
        let error = #expect(throws: PrivatePathError.self) { try HostContexts(text, file: "the-file") }
        #expect(error?.description.hasPrefix("the-file, line ") == true)
    }

    // MARK: - What a person names

    @Test func `A context keeps the host's next key, until the host has it`() throws {
        let next = try KeyPair().publicKey
        try addWall()
        try folder.editContexts { $0.announce(next, after: key) }
        #expect(try folder.contexts()["wall"]?.next == next)
        #expect(try folder.contexts()["wall"]?.key == key)
        // Another host's are left alone.
        try folder.editContexts { $0.announce(key, after: next) }
        #expect(try folder.contexts()["wall"]?.next == next)
        try folder.editContexts { $0.replace(by: key) }
        #expect(try folder.contexts()["wall"]?.key == key)
        try folder.editContexts { $0.replace(by: next) }
        #expect(try folder.contexts()["wall"]?.key == next)
        #expect(try folder.contexts()["wall"]?.next == nil)
    }

    @Test func `A context's name and its address lead to the same host, with its key and this machine's`() throws {
        try addWall()
        let own = try folder.key(in: folder.ownKeyFile).publicKey
        for text in ["wall", "tcp://192.0.2.7:5570"] {
            let host = try resolve(text)
            #expect(host.endpoint == "tcp://192.0.2.7:5570")
            #expect(host.security?.host == key)
            #expect(host.security?.keys.publicKey == own)
            #expect(try host.peerName("operator").text == "wall-3-operator")
        }
    }

    @Test func `A TCP address without a context is refused, unless links without keys are asked for`() throws {
        let error = #expect(throws: HostReferenceError.self) { try resolve("tcp://192.0.2.7:5570") }
        #expect(error?.exitCode == .usage)
        #expect(error?.description.contains("scenebus join") == true)
        #expect(error?.description.contains("--insecure") == true)
        let host = try resolve("tcp://192.0.2.7:5570", isInsecure: true)
        #expect(host.security == nil)
        #expect(try host.peerName("operator").text == "operator")
    }

    @Test func `Addresses of this machine need no keys`() throws {
        for address in ["ipc:///run/wall/bus", "inproc://wall/bus"] {
            #expect(try resolve(address).security == nil)
            #expect(try resolve(address).endpoint == address)
        }
    }

    @Test func `What is neither an address nor a context is a wrong usage that says what there is`() throws {
        try addWall()
        for (text, words) in [("hall", "there are wall"), ("http://x:1", "is not an address")] {
            let error = #expect(throws: HostReferenceError.self) { try resolve(text) }
            #expect(error?.exitCode == .usage)
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test func `The context in use is found, and files that others may change are refused`() throws {
        func current() throws -> HostReference? {
            try HostReference.current { $0 == "SCENEBUS_KEYS" ? folder.path : nil }
        }
        chmod(temporary.path, 0o777)
        #expect(try current() == nil)
        chmod(temporary.path, 0o700)
        try addWall()
        #expect(try current() == nil)
        var contexts = try folder.contexts()
        #expect(contexts.use("wall") == true)
        try folder.save(contexts)
        #expect(try current()?.context?.name == "wall")
        chmod(folder.contextsFile, 0o666)
        let error = #expect(throws: HostReferenceError.self) { _ = try current() }
        #expect(error?.exitCode == .refused)
    }
}
