@testable import Hub
import TestKit
import Bus
import CoordinatorKit
import Foundation
import Glibc
import PeerLink
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// What a host does when somebody removes files in its runtime folder.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct RuntimeWatchTests {
        private func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

        @Test(
            "A host whose runtime folder, lock or sockets are removed makes them anew, and its peers keep their links",
            arguments: ["", "/lock", "/bus", "/pub"])
        func madeAnew(file: String) async throws {
            try await withHost { live in
                try await live.plugin("greeter", provides: ["greeting"])
                let link = live.link(named: "greeter")?.id
                let folder = live.configuration.directory.folder
                for _ in 1...2 {
                    remove(folder + file)
                    try await live.until("all files are there again", within: .seconds(60)) {
                        ["lock", "bus", "pub"].allSatisfy { access("\(folder)/\($0)", F_OK) == 0 }
                    }
                    // A peer that comes now finds the host.
                    try await live.until("the sockets are there") {
                        SocketOccupant(of: "\(folder)/bus") == .listener
                            && SocketOccupant(of: "\(folder)/pub") == .listener
                    }
                    let client = try await live.client()
                    #expect(try await client.chain.hostStatus().problems == [])
                    let status = try FileManager.default.attributesOfItem(atPath: folder)
                    #expect(status[.posixPermissions] as? Int == 0o700)
                    // The new lock is held.
                    #expect(throws: HostError.self) { try HostLock(live.configuration.directory) }
                }
                #expect(live.link(named: "greeter")?.id == link)
            }
        }

        @Test("What cannot be made anew is a problem for as long as that lasts")
        func problem() async throws {
            try await withHost { live in
                let folder = live.configuration.directory.folder
                let client = try await live.client()
                remove(folder)
                try live.folder.write("in the way", to: "run")
                try await live.until("it is a problem", within: .seconds(60)) {
                    try await client.chain.hostStatus().problems.contains { $0.hasPrefix("runtime folder: ") }
                }
                remove(folder)
                try await live.until("it is none any more", within: .seconds(60)) {
                    try await client.chain.hostStatus().problems.isEmpty
                }
                #expect(SocketOccupant(of: "\(folder)/bus") == .listener)
            }
        }

        @Test("A host whose place another has taken ends with the reason, and leaves the other's files alone")
        func taken() async throws {
            let folder = try TemporaryFolder()
            var configuration = HostConfiguration()
            configuration.directory = HostDirectory(folder: "\(folder.path)/run")
            let first = AppHost(configuration, logger: LiveHost.logger)
            let (events, ready) = AsyncStream<Void>.makeStream()
            first.onReady = { _ in ready.yield() }
            let running = Task { try await first.run() }
            var iterator = events.makeAsyncIterator()
            await iterator.next(isolation: MainActor.shared)
            remove("\(folder.path)/run")
            let second = AppHost(configuration, logger: LiveHost.logger)
            let (others, otherReady) = AsyncStream<Void>.makeStream()
            second.onReady = { _ in otherReady.yield() }
            let other = Task { try await second.run() }
            var otherIterator = others.makeAsyncIterator()
            await otherIterator.next(isolation: MainActor.shared)
            let error = await #expect(throws: HostError.self) { try await running.value }
            #expect(error?.code == .inUse)
            #expect(error?.description.contains("another has taken its place") == true)
            #expect(SocketOccupant(of: "\(folder.path)/run/bus") == .listener)
            #expect(SocketOccupant(of: "\(folder.path)/run/pub") == .listener)
            #expect(throws: HostError.self) { try HostLock(configuration.directory) }
            other.cancel()
            try await other.value
            #expect(access("\(folder.path)/run", F_OK) != 0)
        }
    }
}
