import Glibc
import Subprocess
import SystemPackage
import Testing

@testable import NetworkLab

/// Tests with real network namespaces, one lab at a time.
@Suite(
    .serialized, .enabled(if: LabObstacle.here == nil, "\(LabObstacle.here?.description ?? "")"),
    .timeLimit(.minutes(5)))
struct NetworkLabTests {
    /// Tries to open a TCP connection to a port without a listener. A machine that is reached refuses the connection.
    private func reaches(_ lab: NetworkLab, _ from: Int, _ to: Int, limit: String = "1") async throws -> Bool {
        let address = lab.machines[to - 1].address
        let command = lab.machines[from - 1].command(
            ["timeout", limit, "bash", "-c", "exec 3<>/dev/tcp/\(address)/9"])
        let result = try await Subprocess.run(
            .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())), output: .discarded,
            error: .string(limit: 4096))
        return result.standardError.contains("refused")
    }

    /// Whether one of a few attempts reaches a machine. A link that has just come up may lose the first attempt.
    private func reachesSoon(_ lab: NetworkLab, _ from: Int, _ to: Int) async throws -> Bool {
        for _ in 0..<10 where try await reaches(lab, from, to) { return true }
        return false
    }

    private static func namespaces() async throws -> [LabName] {
        try await Tool.run("ip", ["netns", "list"]).split(separator: "\n")
            .compactMap { LabName(namespace: String($0.prefix { $0 != " " })) }
    }

    @Test("Machines reach each other, and nothing is left of them afterwards")
    func life() async throws {
        let names = try await NetworkLab.with(machines: 3) { lab in
            for (from, to) in [(1, 2), (2, 1), (1, 3), (3, 2)] {
                let isReached = try await reachesSoon(lab, from, to)
                #expect(isReached, "\(from) to \(to)")
            }
            return lab.machines.map(\.namespace)
        }
        let lab = try #require(LabName(namespace: names[0]))
        #expect(try await Self.namespaces().contains(lab) == false)
    }

    @Test("Two simultaneous labs are isolated from each other")
    func two() async throws {
        try await NetworkLab.with(machines: 2) { one in
            try await NetworkLab.with(machines: 1) { other in
                #expect(try await reachesSoon(one, 1, 2))
                #expect(Set(one.machines.map(\.namespace)).isDisjoint(with: other.machines.map(\.namespace)))
                try await one.cut(one.machines[1])
                #expect(try await reaches(one, 1, 2) == false)
            }
            try await one.mend(one.machines[1])
            #expect(try await reachesSoon(one, 1, 2))
        }
    }

    @Test("A pair of machines is cut and reconnected while the third machine reaches both")
    func pair() async throws {
        try await NetworkLab.with(machines: 3) { lab in
            try await lab.cut(between: lab.machines[0], and: lab.machines[1])
            #expect(try await reaches(lab, 1, 2) == false)
            #expect(try await reaches(lab, 2, 1) == false)
            #expect(try await reachesSoon(lab, 3, 1))
            #expect(try await reachesSoon(lab, 3, 2))
            try await lab.mend(between: lab.machines[0], and: lab.machines[1])
            #expect(try await reachesSoon(lab, 1, 2))
            // A cut in one direction is enough to prevent a connection.
            try await lab.cut(from: lab.machines[0], to: lab.machines[1])
            #expect(try await reaches(lab, 2, 1) == false)
        }
    }

    @Test("With full packet loss no connection is made, and with partial loss connections still work")
    func loss() async throws {
        try await NetworkLab.with(machines: 2) { lab in
            try await lab.lose(percent: 100, at: lab.machines[1])
            #expect(try await reaches(lab, 1, 2) == false)
            try await lab.lose(percent: 20, at: lab.machines[1])
            // TCP retransmits lost packets.
            #expect(try await reaches(lab, 1, 2, limit: "30"))
            try await lab.lose(percent: 0, at: lab.machines[1])
            #expect(try await reachesSoon(lab, 1, 2))
        }
    }

    @Test("A delay is added in both directions, and a cut still works with a delay")
    func delay() async throws {
        try await NetworkLab.with(machines: 2) { lab in
            #expect(try await reachesSoon(lab, 1, 2))
            try await lab.delay(milliseconds: 150, at: lab.machines[1])
            let start = ContinuousClock.now
            #expect(try await reaches(lab, 1, 2, limit: "20"))
            #expect(ContinuousClock.now - start >= .milliseconds(300))
            try await lab.cut(lab.machines[1])
            #expect(try await reaches(lab, 1, 2) == false)
            try await lab.mend(lab.machines[1])
            try await lab.delay(milliseconds: 0, at: lab.machines[1])
            #expect(try await reachesSoon(lab, 1, 2))
        }
    }

    /// Listens at the given ports and echoes what it receives.
    private static let listener = """
        import select, socket, sys
        sockets = listeners = [socket.create_server((sys.argv[1], int(port))) for port in sys.argv[2:]]
        while True:
            for ready in select.select(sockets, [], [])[0]:
                if ready in listeners: sockets = sockets + [ready.accept()[0]]; continue
                data = ready.recv(100)
                if data: ready.sendall(data)
                else: sockets = [socket for socket in sockets if socket != ready]
        """
    /// Sends over one connection and exits with 3 when no reply arrives.
    private static let peer = """
        import socket, sys, time
        connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        connection.settimeout(1)
        while True:
            connection.sendall(b"x")
            try: connection.recv(1)
            except TimeoutError: sys.exit(3)
            time.sleep(0.02)
        """

    /// Whether the second machine can connect to a port of the first.
    private func connects(_ lab: NetworkLab, _ port: Int) async throws -> Bool {
        let command = lab.machines[1].command(
            ["timeout", "1", "bash", "-c", "exec 3<>/dev/tcp/\(lab.machines[0].address)/\(port)"])
        let result = try await Subprocess.run(
            .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())), output: .discarded,
            error: .discarded)
        return result.terminationStatus.isSuccess
    }

    @Test("One of two ports is cut in each direction, and a cut of open connections lets new ones through")
    func flows() async throws {
        try await NetworkLab.with(machines: 2) { lab in
            let (host, machine) = (lab.machines[0], lab.machines[1])
            let listen = host.command(["python3", "-c", Self.listener, host.address, "5570", "5571"])
            _ = try await Subprocess.run(
                .path(FilePath(listen[0])), arguments: Arguments(Array(listen.dropFirst())), input: .none,
                output: .discarded, error: .discarded
            ) { listener in
                while try await !connects(lab, 5571) {}
                for direction: NetworkLab.Direction in [.both, .toListener, .fromListener] {
                    try await lab.cut(port: 5571, of: host, for: machine, direction)
                    let isCut = try await !connects(lab, 5571)
                    let isOther = try await connects(lab, 5570)
                    #expect(isCut && isOther, "\(direction)")
                    try await lab.mend(port: 5571, of: host, for: machine)
                    let isMended = try await connects(lab, 5571)
                    #expect(isMended, "\(direction)")
                }
                let send = machine.command(["python3", "-c", Self.peer, host.address, "5571"])
                let sender = try await Subprocess.run(
                    .path(FilePath(send[0])), arguments: Arguments(Array(send.dropFirst())), input: .none,
                    output: .discarded, error: .discarded
                ) { _ in
                    while try await lab.openPorts(to: 5571, of: host, from: machine).isEmpty {}
                    try await lab.cut(port: 5571, of: host, for: machine, onlyOpen: true)
                    let isNew = try await connects(lab, 5571)
                    #expect(isNew)
                }
                #expect(sender.terminationStatus == .exited(3))
                try listener.send(signal: .kill)
            }
        }
    }

    @Test("After a power cut a disk has the synced files, and not the others")
    func power() async throws {
        try await NetworkLab.with(machines: 1) { lab in
            let disk = try await lab.makeDisk("disk", megabytes: 8)
            func write(_ name: String, isSynced: Bool) throws {
                let file = try FileDescriptor.open(
                    FilePath("\(disk.files)/\(name)"), .writeOnly, options: [.create, .closeOnExec],
                    permissions: .ownerReadWrite)
                try file.closeAfter {
                    try file.writeAll("text".utf8)
                    if isSynced { fsync(file.rawValue) }
                }
            }
            func has(_ name: String) -> Bool { access("\(disk.files)/\(name)", F_OK) == 0 }
            try write("removed", isSynced: true)
            try write("synced", isSynced: true)
            // The name is removed in memory only, as may happen to a database's journal.
            unlink("\(disk.files)/removed")
            try write("lost", isSynced: false)
            // A process on a machine has its own mounts, which must not keep the disk in use.
            let command = lab.machines[0].command(["unshare", "--mount", "sleep", "600"])
            _ = try await Subprocess.run(
                .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())), input: .none,
                output: .discarded, error: .discarded
            ) { execution in
                while try await lab.processes() != [execution.processIdentifier.value] {}
                try disk.cutPower()
                var isRefused = false
                do { try write("late", isSynced: true) } catch { isRefused = true }
                #expect(isRefused)
                try await disk.restorePower()
                try execution.send(signal: .kill)
            }
            #expect(has("synced") && has("removed"))
            #expect(!has("lost") && !has("late"))
            try write("again", isSynced: true)
        }
    }

    @Test("A process on a machine keeps its process id and is killed with the lab")
    func processes() async throws {
        let lab = try await NetworkLab(machines: 1)
        let command = lab.machines[0].command(["sleep", "600"])
        let result = try await Subprocess.run(
            .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())), input: .none,
            output: .discarded, error: .discarded
        ) { execution in
            while try await lab.processes() != [execution.processIdentifier.value] {}
            await lab.remove()
        }
        #expect(result.terminationStatus == .signaled(SIGKILL))
    }

    @Test("A lab whose maker is dead is removed by the next lab, with its processes")
    func orphans() async throws {
        // The namespace that a dead maker would have left: it has this process id and an earlier start time.
        let orphan = LabName(maker: getpid(), makerStart: 1, number: .random(in: .min ... .max))
        try await Tool.run("ip", ["netns", "add", orphan.namespace("1")])
        let result = try await Subprocess.run(
            .name("ip"), arguments: ["netns", "exec", orphan.namespace("1"), "sleep", "600"], input: .none,
            output: .discarded, error: .discarded
        ) { _ in
            // Another lab on this machine may remove the orphan first, even before the process has started.
            var hasBegun = false
            while !hasBegun, let pids = try? await Tool.run("ip", ["netns", "pids", orphan.namespace("1")]) {
                hasBegun = !pids.isEmpty
            }
            try await NetworkLab.with(machines: 1) { lab in
                let names = try await Self.namespaces()
                #expect(!names.contains(orphan))
                #expect(names.contains { lab.machines[0].namespace == $0.namespace("1") })
            }
            return hasBegun
        }
        if result.closureResult {
            #expect(result.terminationStatus == .signaled(SIGKILL))
        } else {
            #expect(!result.terminationStatus.isSuccess)
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct LabObstacleTests {
    @Test("An obstacle's description says what to do")
    func texts() {
        #expect(LabObstacle.missing(tool: "nft", package: "nftables").description.contains("apt-get install nftables"))
        #expect(LabObstacle.notPermitted(capability: "CAP_NET_ADMIN").description.contains("as root"))
    }
}
