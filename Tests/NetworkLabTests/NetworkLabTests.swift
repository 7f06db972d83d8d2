import Glibc
import Subprocess
import SystemPackage
import Testing

@testable import NetworkLab

/// On real namespaces, one lab after the other.
@Suite(
    .serialized, .enabled(if: LabObstacle.here == nil, "\(LabObstacle.here?.description ?? "")"),
    .timeLimit(.minutes(1)))
struct NetworkLabTests {
    /// Tries to open a TCP connection from one machine to another, where nobody listens: the answer of a machine that is
    /// reached is a refusal.
    private func reaches(_ lab: NetworkLab, _ from: Int, _ to: Int, limit: String = "1") async throws -> Bool {
        let address = lab.machines[to - 1].address
        let command = lab.machines[from - 1].command(
            ["timeout", limit, "bash", "-c", "exec 3<>/dev/tcp/\(address)/9"])
        let result = try await Subprocess.run(
            .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())), output: .discarded,
            error: .string(limit: 4096))
        return result.standardError.contains("refused")
    }

    /// Whether a machine is reached in one of a few attempts: a link that has just come up may lose the first.
    private func reachesSoon(_ lab: NetworkLab, _ from: Int, _ to: Int) async throws -> Bool {
        for _ in 0..<10 where try await reaches(lab, from, to) { return true }
        return false
    }

    private static func namespaces() async throws -> [LabName] {
        try await Tool.run("ip", ["netns", "list"]).split(separator: "\n")
            .compactMap { LabName(namespace: String($0.prefix { $0 != " " })) }
    }

    @Test("machines reach each other, and nothing is left of them afterwards")
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

    @Test("two labs at a time do not see each other")
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

    @Test("a pair is cut and mended while the third machine reaches both")
    func pair() async throws {
        try await NetworkLab.with(machines: 3) { lab in
            try await lab.cut(between: lab.machines[0], and: lab.machines[1])
            #expect(try await reaches(lab, 1, 2) == false)
            #expect(try await reaches(lab, 2, 1) == false)
            #expect(try await reachesSoon(lab, 3, 1))
            #expect(try await reachesSoon(lab, 3, 2))
            try await lab.mend(between: lab.machines[0], and: lab.machines[1])
            #expect(try await reachesSoon(lab, 1, 2))
            // One direction is enough to keep a connection from being made.
            try await lab.cut(from: lab.machines[0], to: lab.machines[1])
            #expect(try await reaches(lab, 2, 1) == false)
        }
    }

    @Test("all packets are lost where all are to be, and some where some are")
    func loss() async throws {
        try await NetworkLab.with(machines: 2) { lab in
            try await lab.lose(percent: 100, at: lab.machines[1])
            #expect(try await reaches(lab, 1, 2) == false)
            try await lab.lose(percent: 20, at: lab.machines[1])
            // TCP sends again what is lost.
            #expect(try await reaches(lab, 1, 2, limit: "30"))
            try await lab.lose(percent: 0, at: lab.machines[1])
            #expect(try await reachesSoon(lab, 1, 2))
        }
    }

    @Test("a delay is added on the way there and on the way back, and a cut still cuts")
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

    @Test("a process on a machine keeps the id that it was started with, and ends with the lab")
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

    @Test("a lab whose maker is gone is removed by the next one, with what runs in it")
    func orphans() async throws {
        // What a maker of this id, which started before everything else, would have left.
        let orphan = LabName(maker: getpid(), makerStart: 1, number: .random(in: .min ... .max))
        try await Tool.run("ip", ["netns", "add", orphan.namespace("1")])
        let result = try await Subprocess.run(
            .name("ip"), arguments: ["netns", "exec", orphan.namespace("1"), "sleep", "600"], input: .none,
            output: .discarded, error: .discarded
        ) { _ in
            while try await Tool.run("ip", ["netns", "pids", orphan.namespace("1")]).isEmpty {}
            try await NetworkLab.with(machines: 1) { lab in
                let names = try await Self.namespaces()
                #expect(!names.contains(orphan))
                #expect(names.contains { lab.machines[0].namespace == $0.namespace("1") })
            }
        }
        #expect(result.terminationStatus == .signaled(SIGKILL))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct LabObstacleTests {
    @Test("an obstacle says what to do")
    func texts() {
        #expect(LabObstacle.missing(tool: "nft", package: "nftables").description.contains("apt-get install nftables"))
        #expect(LabObstacle.notPermitted(capability: "CAP_NET_ADMIN").description.contains("as root"))
    }
}
