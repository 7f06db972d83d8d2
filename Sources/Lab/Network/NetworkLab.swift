import Foundation
import Synchronization

/// Several simulated machines on one: network namespaces joined by a bridge. Their links can be cut, lose packets or be
/// slow.
///
///     try await NetworkLab.with(machines: 3) { lab in
///         let command = lab.machines[0].command(["scenebus", "host", "--listen", "tcp://\(lab.machines[0].address):5570"])
///         …
///         try await lab.cut(lab.machines[2])
///     }
///
/// Each lab has its own bridge and addresses, isolated from all others, so several labs can exist at the same time.
package final class NetworkLab: Sendable {
    /// One of the machines: a namespace with a network interface.
    package struct Machine: Hashable, Sendable {
        /// The number of the machine, starting at 1.
        package let number: Int
        /// The name of its network namespace.
        package let namespace: String
        /// The address at which the other machines reach it.
        package let address: String

        /// Wraps a command so that it runs on this machine. The process keeps its id.
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

    /// The namespace of the bridge and the far ends of the machines' links. It is separate, so that names do not
    /// conflict with those of another lab.
    private var hub: String { name.namespace("hub") }

    // MARK: - Life cycle

    /// Creates a lab, runs a body, and removes the lab.
    /// - Parameter machines: the number of machines, from 1 to 20.
    /// - Throws: ``LabObstacle``, ``LabError``, or the error of the body.
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

    /// Creates a lab, and removes the labs whose creators have ended.
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

    /// Ends the processes in the lab, and removes it.
    package func remove() async {
        let cables = state.withLock { state in
            defer { state.cables = [:] }
            return state.cables.values
        }
        for cable in cables { cable.close() }
        for namespace in machines.map(\.namespace) + [hub] { await Self.remove(namespace) }
        for disk in state.withLock({ $0.disks }) { await disk.remove() }
    }

    /// Creates a small disk that can be filled and lose its power. It is removed with the lab.
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

    /// Cuts a machine's link, like unplugging its cable.
    package func cut(_ machine: Machine) async throws { try await set(machine, "down") }

    /// Restores a machine's link.
    package func mend(_ machine: Machine) async throws { try await set(machine, "up") }

    private func set(_ machine: Machine, _ state: String) async throws {
        try await Tool.run("ip", ["-n", hub, "link", "set", "port\(machine.number)", state])
    }

    /// Blocks the traffic from one machine to another, but not in the opposite direction.
    package func cut(from: Machine, to: Machine) async throws {
        try await change { $0.cut.insert(.init(from: from.number, to: to.number)) }
    }

    /// Blocks the traffic between two machines.
    package func cut(between one: Machine, and other: Machine) async throws {
        try await change {
            $0.cut.insert(.init(from: one.number, to: other.number))
            $0.cut.insert(.init(from: other.number, to: one.number))
        }
    }

    /// Restores the traffic between two machines.
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

    /// Blocks one machine's connections to a port of another, but not its other connections.
    /// - Parameter onlyOpen: whether to block only the existing connections, so that new ones work.
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

    /// Restores one machine's connections to a port of another.
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

    /// Drops random packets from and to a machine.
    /// - Parameter percent: the percentage of dropped packets, from 0 to 100.
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

    /// Delays every packet from and to a machine.
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

    /// Inserts a cable between a machine's link and the bridge.
    ///
    /// The link is moved to a small bridge together with one end of the cable. The other end replaces the link at the
    /// main bridge and gets its name, because the rules identify a machine by the name of its port.
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
    /// Removes the labs whose creators have ended without removing them.
    static func removeOrphans() async {
        guard let list = try? await Tool.run("ip", ["netns", "list"]) else { return }
        for line in list.split(separator: "\n") {
            // The name of a namespace may be followed by its id.
            let namespace = String(line.prefix { $0 != " " })
            if let name = LabName(namespace: namespace), !name.hasMaker { await remove(namespace) }
        }
        // Remove the disks after the processes, which may use them.
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: LabDisk.parent)) ?? [] {
            if let name = LabName(namespace: entry), !name.hasMaker {
                await LabDisk(folder: "\(LabDisk.parent)/\(entry)").remove()
            }
        }
    }

    /// Ends the processes of a namespace, and removes it.
    private static func remove(_ namespace: String) async {
        for pid in (try? await processes(in: namespace)) ?? [] { kill(pid, SIGKILL) }
        // Another process may have removed it already because its creator had ended.
        _ = try? await Tool.run("ip", ["netns", "del", namespace])
    }

    private static func processes(in namespace: String) async throws -> [Int32] {
        try await Tool.run("ip", ["netns", "pids", namespace]).split(separator: "\n").compactMap { Int32($0) }
    }
}
