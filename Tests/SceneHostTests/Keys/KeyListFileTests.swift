import Access
import Foundation
import PeerLink
import TestKit
import Testing
import ZeroMQ

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct KeyListFileTests {
    private func file(in folder: TemporaryFolder) throws -> KeyListFile {
        let file = KeyListFile("\(folder.path)/list")
        try PrivateFile.write("# by hand\n", to: file.path)
        return file
    }

    private func entry(_ name: String) throws -> KeyEntry {
        KeyEntry(name: name, role: .worker, key: try KeyPair().publicKey)
    }

    @Test func `A change that says what is there already leaves the file alone`() throws {
        let folder = try TemporaryFolder()
        let file = try file(in: folder)
        let entry = try entry("wall")
        try file.edit { try $0.set(entry) }
        let version = PrivateFile.Version(of: file.path)
        try file.edit { try $0.set(entry) }
        #expect(PrivateFile.Version(of: file.path) == version)
    }

    @Test func `What an editor saves during a change is kept`() throws {
        let folder = try TemporaryFolder()
        let file = try file(in: folder)
        let (wall, hall, added) = (try entry("wall"), try entry("hall"), try entry("added"))
        try file.edit { list in for entry in [wall, hall] { try list.set(entry) } }
        var attempts = 0
        try file.edit { list in
            attempts += 1
            // The editor removes a line.
            if attempts == 1 { try PrivateFile.write(hall.line + "\n", to: file.path) }
            try list.set(added)
        }
        #expect(attempts == 2)
        #expect(try file.read().entries.map(\.name).sorted() == ["added", "hall"])
    }

    @Test func `A file that is replaced again and again is left alone in the end`() throws {
        let folder = try TemporaryFolder()
        let file = try file(in: folder)
        var attempts = 0
        #expect(throws: PrivatePathError.self) {
            try file.edit { list in
                attempts += 1
                try PrivateFile.write("# \(attempts)\n", to: file.path)
                try list.set(try entry("wall"))
            }
        }
        #expect(try file.read().entries.isEmpty)
    }
}
