import ArgumentParser
import Bus
import CBOR
import ChaosHistory
import Foundation
import Messaging
import OperatorKit
import PeerLink
import ZeroMQ

/// A peer that takes as much as it can of something that all peers share, until it is killed.
struct GreedyRole: LoopCommand {
    static let configuration = CommandConfiguration(commandName: "greedy", shouldDisplay: false)
    @Option var greed: Greed
    @Option var host: String
    @Option var publisher: String

    /// The time between two bursts.
    private static let pause = Duration.milliseconds(20)

    func execute() async throws {
        let context = SocketContext()
        switch greed {
        case .subscriptions: try await subscribe(context)
        case .hellos: try await greetAgain(context)
        case .snapshots: try await synchronize(context)
        case .entries: try await publish(context, removing: false)
        case .removedEntries: try await publish(context, removing: true)
        case .records: try await record(context)
        case .misreported: try await misreport(context)
        case .names: try await takeNames(context)
        }
    }

    /// Subscribes to topics that nobody publishes. The publisher keeps each byte of them in a tree.
    private func subscribe(_ context: SocketContext) async throws {
        var options = SocketOptions()
        options.sendHighWaterMark = 0
        options.security = try ChaosKeys.security(as: "greedy")
        let socket = try Socket(.subscriber, in: context, options: options)
        try socket.connect(publisher)
        for number in 0... {
            for part in 0..<100 {
                let topic = "\(number)-\(part)-"
                try socket.subscribe(Array((topic + String(repeating: "x", count: 500 - topic.count)).utf8))
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    @MainActor
    private func hello(_ name: String, handles: [String] = [], provides: [String] = []) -> Hello {
        Hello(role: .plugin, peer: name, pid: getpid(), endpoint: host, handles: handles, provides: provides)
    }

    @MainActor
    private func greetAgain(_ context: SocketContext) async throws {
        let peer = try SabotagePeer(host, as: "greedy", in: context)
        var first: Welcome?
        repeat {
            peer.greet(hello("greedy-\(getpid())"))
            first = try await peer.welcome()
        } while first == nil
        guard let welcome = first else { return }
        while true {
            peer.greet(hello("greedy-\(getpid())"))
            for _ in 0..<100 { peer.requestMuch(welcome) }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Requests a snapshot again and again, with heartbeats, and reads nothing.
    @MainActor
    private func synchronize(_ context: SocketContext) async throws {
        while true {
            let peer = try SabotagePeer(host, as: "greedy", in: context)
            peer.greet(hello("greedy-\(getpid())"))
            guard let welcome = try await peer.welcome() else { continue }
            // 12 s: longer than the time for which the host takes a part to be on its way.
            for _ in 0..<600 {
                var frame = Frame(.synchronize)
                frame.epoch = welcome.epoch
                for _ in 0..<10 { peer.send(frame) }
                peer.send(Frame(.heartbeat))
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Publishes entries of ever new names.
    @MainActor
    private func publish(_ context: SocketContext, removing: Bool) async throws {
        for life in 0... {
            let keys = (0..<1000).map { "greedy-\(getpid())-\(life)-\($0)" }
            let peer = try SabotagePeer(host, as: "greedy", readsAhead: true, in: context)
            peer.greet(hello("greedy-\(getpid())", provides: keys))
            guard try await peer.welcome() != nil else { continue }
            // Small parts, because each change is sent to all other peers.
            for start in stride(from: 0, to: keys.count, by: 20) {
                let part = keys[start..<(start + 20)]
                let value = CBORValue.string(String(repeating: "x", count: removing ? 1 : 4096))
                peer.send(Frame(.publish), payload: Dictionary(uniqueKeysWithValues: part.map { ($0, value) }))
                if removing {
                    var frame = Frame(.publish)
                    frame.payload = Self.removal(of: part)[...]
                    peer.send(frame)
                }
                try await Task.sleep(for: Self.pause)
            }
            peer.send(Frame(.goodbye))
        }
    }

    /// The payload that removes entries: each has the simple value *undefined*.
    private static func removal(of keys: ArraySlice<String>) -> [UInt8] {
        // The heads of a map and of texts with at most 255 items and bytes.
        keys.reduce([0xb8, UInt8(keys.count)]) { $0 + [0x78, UInt8($1.utf8.count)] + Array($1.utf8) + [0xf7] }
    }

    /// Sends requests that the host keeps on record, more than it reads replies of.
    @MainActor
    private func record(_ context: SocketContext) async throws {
        let peer = try SabotagePeer(host, as: "greedy", readsAhead: true, in: context)
        repeat { peer.greet(hello("greedy-\(getpid())")) } while try await peer.welcome() == nil
        for number in 0... {
            for part in 0..<10 {
                let id = "greedy-\(getpid())-\(number)-\(part)"
                let payload = try CBOREncoder().encode(["id": id])
                peer.request(
                    "chaosOnce", payload: payload, flags: .once, messageID: .new())
            }
            peer.send(Frame(.heartbeat))
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Reports as received what it does not read.
    @MainActor
    private func misreport(_ context: SocketContext) async throws {
        while true {
            let peer = try SabotagePeer(host, as: "greedy", in: context)
            peer.greet(hello("greedy-\(getpid())"))
            guard let welcome = try await peer.welcome() else { continue }
            var received: UInt64 = 0
            // 2 s, because the host ends the link when more is reported than was sent.
            for _ in 0..<100 {
                for _ in 0..<50 { peer.requestMuch(welcome) }
                received += 100_000
                peer.send(Frame(.heartbeat), payload: Heartbeat(received: received))
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Attaches under ever new names, with ever new messages.
    @MainActor
    private func takeNames(_ context: SocketContext) async throws {
        for life in 0... {
            let peer = try SabotagePeer(host, as: "greedy", readsAhead: true, in: context)
            let name = "greedy-\(getpid())-\(life)"
            peer.greet(hello(name, handles: (0..<1000).map { "greedyMessage\(life)x\($0)" }))
            guard try await peer.welcome() != nil else { continue }
            peer.send(Frame(.goodbye))
            try await Task.sleep(for: Self.pause)
        }
    }
}

extension Greed: ExpressibleByArgument {}
