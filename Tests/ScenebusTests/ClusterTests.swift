import Bus
import Foundation
import NetworkLab
import Testing

extension MachineTests {
    /// A host, its plugins and its workers on three machines, over TCP.
    @Suite(
        .enabled(if: LabObstacle.here == nil, "\(LabObstacle.here?.description ?? "")"), .timeLimit(.minutes(5)))
    struct ClusterTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        /// Runs the host and the plugins on machine 1, and a worker on each other machine.
        private func withCluster(
            _ lab: NetworkLab, _ body: (Cluster) async throws -> Void
        ) async throws {
            let cluster = Cluster(installation: installation, lab: lab)
            let host = lab.machines[0]
            try await cluster.running(
                on: host, "scenebus",
                ["host", "--listen", "tcp://\(host.address):5570", "--insecure", "--no-store"]
            ) {
                try #require(
                    try await installation.scenebus("wait", "--timeout", "30").code == 0, "the host did not start")
                try await cluster.running(on: host, "accounts-plugin", peer: "accounts") {
                    try await cluster.running(on: lab.machines[1], "machine-plugin", peer: "machine") {
                        try await cluster.running(on: lab.machines[1], "controlroom-worker", peer: "two") {
                            try await cluster.running(on: lab.machines[2], "controlroom-worker", peer: "three") {
                                try await cluster.untilLinks {
                                    $0.isSuperset(of: ["accounts", "machine", "two", "three"])
                                }
                                try await body(cluster)
                            }
                        }
                    }
                }
            }
        }

        @Test("A scene on another machine shows live figures and sends a message to a plugin on a third machine")
        func attach() async throws {
            try await NetworkLab.with(machines: 3) { lab in
                try await withCluster(lab) { cluster in
                    let id = try await cluster.openSession()
                    let first = try await cluster.figures(of: id)
                    try await installation.until("scene", "show", id) { shown in
                        shown.code == 0 && Cluster.figures(in: shown.output) != first
                    }
                    try await cluster.logIn(id)
                    #expect(try await lab.processes().count == 5)
                }
            }
        }

        @Test(
            "A cut link is detected on both sides within 3 s, its session moves, and the worker reconnects")
        func cut() async throws {
            try await NetworkLab.with(machines: 3) { lab in
                try await withCluster(lab) { cluster in
                    let id = try await cluster.openSession()
                    _ = try await cluster.figures(of: id)
                    let worker = try #require(try await cluster.worker(of: id))
                    let machine = try #require(cluster.machine(of: worker))
                    let other = worker == "two" ? "three" : "two"

                    let start = MonotonicInstant.now
                    try await lab.cut(machine)
                    try await cluster.within(.seconds(3), since: start, "the host detaches the worker") {
                        try await !cluster.links().contains(worker)
                    }
                    try await cluster.within(.seconds(3), since: start, "the worker loses the host") {
                        cluster.log(of: worker).contains("lost the host")
                    }
                    try await cluster.within(.seconds(5), since: start, "the session runs on another worker") {
                        try await cluster.worker(of: id) == other
                    }

                    try await lab.mend(machine)
                    try await cluster.untilLinks { $0.contains(worker) }
                    // The reattached worker has more room than the other, so it gets the next session.
                    let next = try await cluster.openSession()
                    #expect(try await cluster.worker(of: next) == worker)
                    #expect(try await cluster.worker(of: id) == other)
                }
            }
        }

        @Test("A link that is cut in one direction only is detected, too, and recovers")
        func oneDirection() async throws {
            try await NetworkLab.with(machines: 3) { lab in
                try await withCluster(lab) { cluster in
                    let (host, machine) = (lab.machines[0], lab.machines[2])
                    let start = MonotonicInstant.now
                    // Packets from the worker are lost, and packets from the host arrive.
                    try await lab.cut(from: machine, to: host)
                    try await cluster.within(.seconds(3), since: start, "the host detaches the worker") {
                        try await !cluster.links().contains("three")
                    }
                    try await lab.mend(between: host, and: machine)
                    try await cluster.untilLinks { $0.contains("three") }
                }
            }
        }

        @Test("Everything works with 10 percent packet loss and 20 ms of delay")
        func bad() async throws {
            try await NetworkLab.with(machines: 3) { lab in
                try await withCluster(lab) { cluster in
                    for machine in lab.machines.dropFirst() {
                        try await lab.delay(milliseconds: 20, at: machine)
                        try await lab.lose(percent: 10, at: machine)
                    }
                    let id = try await cluster.openSession()
                    let first = try await cluster.figures(of: id)
                    try await installation.until("scene", "show", id) { shown in
                        shown.code == 0 && Cluster.figures(in: shown.output) != first
                    }
                    try await cluster.logIn(id)
                    try await cluster.untilLinks { $0.isSuperset(of: ["accounts", "machine", "two", "three"]) }
                }
            }
        }
    }
}

/// The processes on the machines of a lab.
private struct Cluster: Sendable {
    let installation: Installation
    let lab: NetworkLab

    /// Runs an executable on a machine for the duration of a body.
    /// - Parameter peer: The name of a plugin or worker, which gets the host's address as an option; its errors go to a
    ///   log.
    func running(
        on machine: NetworkLab.Machine, _ executable: String, _ arguments: [String] = [], peer: String? = nil,
        _ body: () async throws -> Void
    ) async throws {
        let options =
            peer.map { ["--host", "tcp://\(lab.machines[0].address):5570", "--name", $0, "--insecure"] } ?? []
        let command = machine.command(
            [
                "env", "SCENEBUS_LOG=info", "sh", "-c", "exec \"$@\" 2> '\(logFile(of: peer ?? "host"))'", "sh",
                "\(Installation.executables)/\(executable)",
            ] + arguments + options)
        let outcome = try await installation.run(command[0], Array(command.dropFirst())) { process in
            do {
                try await body()
                try process.send(SIGTERM)
            } catch {
                try? process.send(SIGKILL)
                throw error
            }
        }
        #expect(outcome.code == 0, "\(executable): \(log(of: peer ?? "host"))")
    }

    private func logFile(of peer: String) -> String { "\(installation.folder)/\(peer).log" }

    /// What a process has written to its log so far.
    func log(of peer: String) -> String {
        (try? String(contentsOfFile: logFile(of: peer), encoding: .utf8)) ?? ""
    }

    /// Returns the machine on which a worker runs.
    func machine(of worker: String) -> NetworkLab.Machine? {
        ["two": lab.machines[1], "three": lab.machines[2]][worker]
    }

    func links() async throws -> Set<String> {
        let status: StatusReply = try await installation.scenebus("status", "--json").json()
        return Set(status.links.map(\.peer))
    }

    func untilLinks(_ condition: (Set<String>) -> Bool) async throws {
        try await installation.until("status", "--json", within: .seconds(30)) {
            try condition(Set($0.json(StatusReply.self).links.map(\.peer)))
        }
    }

    /// Waits for a condition. The condition fails if it is false in a check that began after the limit, so the duration
    /// of a check itself does not count.
    func within(
        _ limit: Duration, since start: MonotonicInstant, _ what: Comment,
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
    ) async throws {
        while true {
            let look = MonotonicInstant.now
            if try await condition() { return }
            try #require(look - start < limit, what, sourceLocation: sourceLocation)
        }
    }

    /// Opens a session and waits for its scene.
    func openSession() async throws -> String {
        let opened = try await installation.scenebus("sessions", "open", "ControlRoom")
        try #require(opened.code == 0, "\(opened.error)")
        let id = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try await installation.until("scene", "show", id) { $0.code == 0 }
        return id
    }

    func worker(of session: String) async throws -> String? {
        let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
        return sessions.first { $0.session == session }?.worker
    }

    /// The figures on a scene's overview page.
    func figures(of session: String) async throws -> [Substring] {
        let acted = try await installation.scenebus("scene", "act", session, "overview")
        try #require(acted.code == 0, "\(acted.error)")
        let shown = try await installation.until("scene", "show", session) { !Self.figures(in: $0.output).isEmpty }
        return Self.figures(in: shown.output)
    }

    static func figures(in shown: String) -> [Substring] {
        shown.split(separator: "\n").filter { $0.hasPrefix("CPU [") || $0.hasPrefix("Memory [") }
    }

    /// Creates an account and logs in from a scene. This needs a request to a plugin, and an entry that reaches the
    /// scene.
    func logIn(_ session: String) async throws {
        let created = try await installation.scenebus(
            "request", "accountCreate", "username=ada", installation.secret("password", "difference"), "displayName=Ada"
        )
        try #require(created.code == 0, "\(created.error)")
        // Go to the login page. Its actions appear once the scene knows that an account exists.
        try await installation.until(
            "scene", "act", session, "login", "username=ada", installation.secret("password", "difference")
        ) { $0.code == 0 && $0.output.contains("Logged in as") }
    }
}
