import Foundation
import Glibc
import Testing

@testable import ZeroMQ

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct SocketFileTests {
    /// A socket that this test binds without libzmq.
    private func listener(at path: String, listens: Bool = true) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let address = try #require(SocketAddress(path))
        try #require(address.use { bind(descriptor, $0, $1) } == 0)
        if listens { try #require(listen(descriptor, 1) == 0) }
        return descriptor
    }

    private func failure(of body: () throws(ZeroMQError) -> Void) -> ZeroMQError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    private func inode(_ path: String) -> ino_t? {
        var info = stat()
        return lstat(path, &info) == 0 ? info.st_ino : nil
    }

    @Test func `A file that is not a dead socket of this user stays, and the error names it`() async throws {
        try await withContext { context, folder in
            let path = "\(folder)/bus"
            // Somebody listens there.
            let descriptor = try listener(at: path)
            #expect(SocketOccupant.listener.problem(at: "\(folder)/none") == SocketOccupant.listener.description)
            let before = inode(path)
            let socket = try Socket(.router, in: context)
            var error = failure { () throws(ZeroMQError) in try socket.bind("ipc://\(path)") }
            #expect(error?.isAddressInUse == true)
            #expect(error?.description.contains("\(path) is the socket of process \(getpid()) (") == true)
            #expect(inode(path) == before)
            #expect(SocketOccupant(of: path) == .listener)
            close(descriptor)
            unlink(path)
            // It is a file of another kind.
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            error = failure { () throws(ZeroMQError) in try socket.bind("ipc://\(path)") }
            #expect(error?.description.contains("\(path) is not a socket") == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `A dead socket of another user stays`() async throws {
        try await withContext { context, folder in
            let path = "\(folder)/bus"
            close(try listener(at: path))
            chown(path, 65534, 65534)
            let socket = try Socket(.router, in: context)
            let error = failure { () throws(ZeroMQError) in try socket.bind("ipc://\(path)") }
            #expect(error?.description.contains("user 65534") == true)
            #expect(inode(path) != nil)
        }
    }

    @Test func `A socket of this user on which nobody listens any more is replaced by a private one`() async throws {
        try await withContext { context, folder in
            let path = "\(folder)/bus"
            close(try listener(at: path))
            do {
                let socket = try Socket(.router, in: context)
                try socket.bind("ipc://\(path)")
                #expect(socket.lastEndpoint == "ipc://\(path)")
                #expect(inode(path) != nil && SocketOccupant(of: path) == .listener)
                var info = stat()
                #expect(lstat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
                // The next address has a descriptor of its own.
                try socket.bind("tcp://127.0.0.1:*")
            }
            #expect(inode(path) == nil)
        }
    }

    @Test func `A socket that has been replaced by another process's is not removed at the end`() async throws {
        try await withContext { context, folder in
            let path = "\(folder)/bus"
            let other: Int32
            do {
                let socket = try Socket(.router, in: context)
                try socket.bind("ipc://\(path)")
                #expect(socket.lostEndpoints == [])
                unlink(path)
                #expect(socket.lostEndpoints == ["ipc://\(path)"])
                other = try listener(at: path)
                #expect(socket.lostEndpoints == ["ipc://\(path)"])
            }
            #expect(SocketOccupant(of: path) == .listener)
            close(other)
        }
    }

    @Test func `A socket listens anew at a lost address, and keeps its connections`() async throws {
        try await withContext { context, folder in
            let endpoint = "ipc://\(folder)/bus"
            let socket = try Socket(.router, in: context)
            try socket.bind(endpoint)
            let old = try Socket(.dealer, in: context)
            try old.connect(endpoint)
            try old.send([1])
            try await expectMessage([1], at: socket)
            unlink("\(folder)/bus")
            try socket.bindAgain(endpoint)
            #expect(socket.lostEndpoints == [])
            let new = try Socket(.dealer, in: context)
            try new.connect(endpoint)
            try new.send([2])
            try await expectMessage([2], at: socket)
            try old.send([3])
            try await expectMessage([3], at: socket)
        }
    }

    /// Waits for a message of one part.
    private func expectMessage(_ bytes: [UInt8], at socket: borrowing Socket) async throws {
        while true {
            if try socket.receiveRoutingID() != nil {
                #expect(try socket.receive()?.bytes == bytes)
                return
            }
            await Task.yield()
        }
    }
}
