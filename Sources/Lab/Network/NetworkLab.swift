import Foundation
import Synchronization

/// Several machines on one: network namespaces that are joined by a bridge, whose links can be cut, lose packets and be slow.
///
///     try await NetworkLab.with(machines: 3) { lab in
///         let command = lab.machines[0].command(["scenebus", "host", "--listen", "tcp://\(lab.machines[0].address):5570"])
///         …
///         try await lab.cut(lab.machines[2])
///     }
///
/// Each lab has a bridge and addresses of its own, which nobody else reaches: several can be there at a time.
package final class NetworkLab: Sendable {
    /// One of the machines: a namespace with a network interface.
    package struct Machine: Hashable, Sendable {
        /// From 1 on.
        package let number: Int
        /// The name of its network namespace.
        package let namespace: String
        /// Its address, which the other machines reach.
        package let address: String

        /// What to run so that a command runs on this machine. The process keeps the id that it is started with.
        package func command(_ command: [String]) -> [String] {
            [Tool.path(of: "ip") ?? "ip", "netns", "exec", namespace] + command
        }
    }

    package let machines: [Machine]
    private let name: LabName
    private let state = Mutex(State())

    private struct State {
        var rules = TrafficRules()
        var cables: [Int: DelayCable] = [:]
        var disks: [LabDisk] = []
    }

    /// Where the bridge is, and the far ends of the machines' links: apart, so that no name here meets another lab's.
    private var hub: String { name.namespace("hub") }

    // MARK: - Life

    /// Makes a lab, and removes it when the body has ended.
    /// - Parameter machines: how many, from 1 to 20.
    /// - Throws: ``LabObstacle``, ``LabError``, or what the body throws.
    package static func with<Result: Sendable>(
        machines count: Int, _ body: (NetworkLab) async throws -> Result
    ) async throws -> Result {
        let lab = try await NetworkLab(machines: count)
        do {
            let result = try await body(lab)
            await lab.remove()
            return result
        } catch {
            await lab.remove()
            throw error
        }
    }

    /// Makes a lab. Labs whose maker is gone are removed.
    /// - Throws: ``LabObstacle`` or ``LabError``.
    package init(machines count: Int) async throws {
        precondition((1...20).contains(count), "a lab has 1 to 20 machines")
        if let obstacle = LabObstacle.here { throw obstacle }
        await Self.removeOrphans()
        let name = LabName.new()
        self.name = name
        machines = (1...count).map {
            Machine(number: $0, namespace: name.namespace("\($0)"), address: "10.77.0.\($0)")
        }
        do {
            try await make()
        } catch {
            await remove()
            throw error
        }
    }

    private func make() async throws {
        let namespaces = [hub] + machines.map(\.namespace)
        try await Tool.run("ip", ["-batch", "-"], input: namespaces.map { "netns add \($0)\n" }.joined())
        let links = machines.map { machine in
            let port = "port\(machine.number)"
            return """
                link add \(port) type veth peer name eth0 netns \(machine.namespace)
                link set \(port) master hub
                link set \(port) up

                """
        }
        try await Tool.run(
            "ip", ["-n", hub, "-batch", "-"],
            input: "link add hub type bridge\nlink set hub up\n" + links.joined())
        for machine in machines {
            try await Tool.run(
                "ip", ["-n", machine.namespace, "-batch", "-"],
                input: "addr add \(machine.address)/24 dev eth0\nlink set eth0 up\nlink set lo up\n")
        }
    }

    /// Ends what runs in the lab, and removes it.
    package func remove() async {
        let cables = state.withLock { state in
            defer { state.cables = [:] }
            return state.cables.values
        }
        for cable in cables { cable.close() }
        for namespace in machines.map(\.namespace) + [hub] { await Self.remove(namespace) }
        for disk in state.withLock({ $0.disks }) { await disk.remove() }
    }

    /// Makes a small disk, which can be filled and lose its power. It goes with the lab.
    package func makeDisk(_ name: String, megabytes: Int) async throws -> LabDisk {
        let disk = LabDisk(folder: "\(LabDisk.parent)/\(self.name.namespace(name))")
        state.withLock { $0.disks.append(disk) }
        try await disk.make(megabytes: megabytes)
        return disk
    }

    /// The processes that run on the machines.
    package func processes() async throws -> [Int32] {
        var pids: [Int32] = []
        for machine in machines { pids += try await Self.processes(in: machine.namespace) }
        return pids
    }

    // MARK: - Faults

    /// Cuts a machine's link, as by pulling its plug.
    package func cut(_ machine: Machine) async throws { try await set(machine, "down") }

    /// Puts a machine's plug back.
    package func mend(_ machine: Machine) async throws { try await set(machine, "up") }

    private func set(_ machine: Machine, _ state: String) async throws {
        try await Tool.run("ip", ["-n", hub, "link", "set", "port\(machine.number)", state])
    }

    /// Lets nothing through from one machine to another; what comes back gets through.
    package func cut(from: Machine, to: Machine) async throws {
        try await change { $0.cut.insert(.init(from: from.number, to: to.number)) }
    }

    /// Lets nothing through between two machines.
    package func cut(between one: Machine, and other: Machine) async throws {
        try await change {
            $0.cut.insert(.init(from: one.number, to: other.number))
            $0.cut.insert(.init(from: other.number, to: one.number))
        }
    }

    /// Lets everything through again between two machines.
    package func mend(between one: Machine, and other: Machine) async throws {
        try await change {
            $0.cut.remove(.init(from: one.number, to: other.number))
            $0.cut.remove(.init(from: other.number, to: one.number))
        }
    }

    /// The directions of a connection.
    package enum Direction: Sendable {
        case both, toListener, fromListener
    }

    /// Lets nothing through of one machine's connections to a port of another; its other connections go on.
    /// - Parameter onlyOpen: only of the connections that are there now: who makes a new one gets through.
    package func cut(
        port: UInt16, of listener: Machine, for peer: Machine, _ direction: Direction = .both, onlyOpen: Bool = false
    ) async throws {
        let ports = onlyOpen ? try await openPorts(to: port, of: listener, from: peer) : nil
        try await change { rules in
            for isFromListener in [false, true] where direction != (isFromListener ? .toListener : .fromListener) {
                rules.cutFlows.insert(
                    .init(
                        listener: listener.number, port: port, peer: peer.number, isFromListener: isFromListener,
                        peerPorts: ports))
            }
        }
    }

    /// Lets everything through again of one machine's connections to a port of another.
    package func mend(port: UInt16, of listener: Machine, for peer: Machine) async throws {
        try await change { rules in
            rules.cutFlows = rules.cutFlows.filter {
                $0.listener != listener.number || $0.port != port || $0.peer != peer.number
            }
        }
    }

    /// The ports from which one machine is connected to a port of another.
    func openPorts(to port: UInt16, of listener: Machine, from peer: Machine) async throws -> [UInt16] {
        let list = try await Tool.run(
            "ip",
            [
                "netns", "exec", peer.namespace, Tool.path(of: "ss") ?? "ss", "-Htn", "state", "established", "dst",
                "\(listener.address):\(port)",
            ])
        let own = "\(peer.address):"
        return list.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix(own) }.flatMap { UInt16($0.dropFirst(own.count)) }
        }
    }

    /// Loses packets at random, those that a machine sends and those that are sent to it.
    /// - Parameter percent: from 0, which loses none, to 100.
    package func lose(percent: Int, at machine: Machine) async throws {
        precondition((0...100).contains(percent))
        try await change { $0.loss[machine.number] = percent }
    }

    private func change(_ change: @Sendable (inout TrafficRules) -> Void) async throws {
        let script = state.withLock { state in
            change(&state.rules)
            return state.rules.script
        }
        try await Tool.run("ip", ["netns", "exec", hub, Tool.path(of: "nft") ?? "nft", "-f", "-"], input: script)
    }

    /// Delays each packet that a machine sends, and each that is sent to it.
    package func delay(milliseconds: Int, at machine: Machine) async throws {
        let delay = Duration.milliseconds(milliseconds)
        if let cable = state.withLock({ $0.cables[machine.number] }) { return cable.setDelay(delay) }
        guard milliseconds > 0 else { return }
        let cable = try DelayCable()
        do {
            try await plug(cable, into: machine)
        } catch {
            cable.close()
            throw error
        }
        cable.setDelay(delay)
        state.withLock { $0.cables[machine.number] = cable }
    }

    /// Puts a cable between a machine's link and the bridge: the link goes to a small bridge with one end of the cable, and
    /// the other end takes its place, name included, for the rules know a machine by its port's name.
    private func plug(_ cable: DelayCable, into machine: Machine) async throws {
        let number = machine.number
        for end in cable.ends { try await Tool.run("ip", ["link", "set", end, "netns", hub]) }
        try await Tool.run(
            "ip", ["-n", hub, "-batch", "-"],
            input: """
                link add near\(number) type bridge
                link set near\(number) up
                link set port\(number) down
                link set port\(number) name link\(number)
                link set link\(number) up
                link set link\(number) master near\(number)
                link set \(cable.ends[0]) master near\(number)
                link set \(cable.ends[0]) up
                link set \(cable.ends[1]) name port\(number)
                link set port\(number) master hub
                link set port\(number) up

                """)
    }
}

extension NetworkLab {
    /// Removes the labs whose maker has ended without doing so.
    static func removeOrphans() async {
        guard let list = try? await Tool.run("ip", ["netns", "list"]) else { return }
        for line in list.split(separator: "\n") {
            // A namespace is followed by its number, where it has one.
            let namespace = String(line.prefix { $0 != " " })
            if let name = LabName(namespace: namespace), !name.hasMaker { await remove(namespace) }
        }
        // After the processes, which may use them.
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: LabDisk.parent)) ?? [] {
            if let name = LabName(namespace: entry), !name.hasMaker {
                await LabDisk(folder: "\(LabDisk.parent)/\(entry)").remove()
            }
        }
    }

    /// Ends the processes of a namespace, and removes it.
    private static func remove(_ namespace: String) async {
        for pid in (try? await processes(in: namespace)) ?? [] { kill(pid, SIGKILL) }
        // It may be gone already, removed by another that found it without a maker.
        _ = try? await Tool.run("ip", ["netns", "del", namespace])
    }

    private static func processes(in namespace: String) async throws -> [Int32] {
        try await Tool.run("ip", ["netns", "pids", namespace]).split(separator: "\n").compactMap { Int32($0) }
    }
}
