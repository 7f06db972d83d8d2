import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct AlertEngineTests {
    /// Warns from 0.5 and is an error from 0.8, each held for 10 s. A warning clears below 0.4, and an error
    /// becomes a warning below 0.64.
    private func engine(hold: Double = 10, clear: Double = 0.8) throws -> AlertEngine {
        let threshold = AlertThreshold(warning: 0.5, error: 0.8)
        return AlertEngine(
            rules: try AlertRules(cpu: threshold, disk: threshold, holdSeconds: hold, clearFraction: clear))
    }

    private func sample(
        cpu: Double? = nil, memory: Double? = nil, load: Double? = nil, cores: Int? = 2,
        disks: KeyValuePairs<String, Double> = [:], missing: [String] = []
    ) -> MachineSample {
        MachineSample(
            identity: MachineIdentity(hostName: nil, kernel: nil, bootTime: nil, uptime: nil, cores: cores),
            cpu: cpu.map { CPUUsage(total: $0, perCore: []) },
            memory: memory.map {
                MemoryUsage(
                    totalBytes: 1000, availableBytes: 1000 - UInt64($0 * 1000), swapTotalBytes: 0, swapFreeBytes: 0)
            },
            load: load.map {
                LoadAverage(oneMinute: $0, fiveMinutes: 0, fifteenMinutes: 0, runningThreads: 1, totalThreads: 1)
            },
            disks: disks.map { mountPoint, fraction in
                DiskUsage(
                    mountPoint: mountPoint, device: "/dev/x", fileSystem: "ext4", totalBytes: 1000,
                    freeBytes: 1000 - UInt64(fraction * 1000), usedBytes: UInt64(fraction * 1000),
                    readBytesPerSecond: nil, writtenBytesPerSecond: nil)
            },
            networks: [], processes: [], processCount: 0,
            missing: missing.map { MissingFigure(figure: $0, reason: "test") })
    }

    /// An event in short form: `+` raised, `-` cleared, `>` changed level; then the id and the level.
    private func short(_ event: AlertEvent) -> String {
        switch event {
        case .raised(let alert): "+\(alert.id) \(alert.level)"
        case .changedLevel(let alert, let from): ">\(alert.id) \(from) \(alert.level)"
        case .cleared(let alert): "-\(alert.id) \(alert.level)"
        }
    }

    @Test(
        arguments: [
            // Values at 0, 5, 10 … seconds, and the events at those times.
            ("below", [0.49, 0.49, 0.49, 0.49], ["", "", "", ""]),
            ("exactly at the threshold", [0.5, 0.5, 0.5], ["", "", "+cpu warning"]),
            ("not long enough", [0.6, 0.6, 0.49, 0.6, 0.6], ["", "", "", "", ""]),
            ("raised once", [0.6, 0.6, 0.6, 0.6, 0.6], ["", "", "+cpu warning", "", ""]),
            ("error at once", [0.9, 0.9, 0.9, 0.9], ["", "", "+cpu error", ""]),
            (
                "warning, then error", [0.6, 0.6, 0.9, 0.9, 0.9],
                ["", "", "+cpu warning", "", ">cpu warning error"]
            ),
            ("a short peak stays a warning", [0.6, 0.9, 0.6, 0.9, 0.6], ["", "", "+cpu warning", "", ""]),
            ("hysteresis", [0.6, 0.6, 0.6, 0.41, 0.6, 0.39], ["", "", "+cpu warning", "", "", "-cpu warning"]),
            ("exactly where it would clear", [0.6, 0.6, 0.6, 0.4], ["", "", "+cpu warning", ""]),
            ("error stays in its band", [0.9, 0.9, 0.9, 0.65, 0.9], ["", "", "+cpu error", "", ""]),
            (
                "error, warning, cleared", [0.9, 0.9, 0.9, 0.63, 0.41, 0.39],
                ["", "", "+cpu error", ">cpu error warning", "", "-cpu warning"]
            ),
            ("error clears at once", [0.9, 0.9, 0.9, 0.1], ["", "", "+cpu error", "-cpu error"]),
            (
                "raised again after it cleared", [0.6, 0.6, 0.6, 0.1, 0.6, 0.6, 0.6],
                ["", "", "+cpu warning", "-cpu warning", "", "", "+cpu warning"]
            ),
            (
                "error again needs its time again", [0.9, 0.9, 0.9, 0.6, 0.9, 0.9, 0.9],
                ["", "", "+cpu error", ">cpu error warning", "", "", ">cpu warning error"]
            ),
        ] as [(String, [Double], [String])])
    func `An alert follows its hold time and hysteresis`(name: String, values: [Double], expected: [String]) throws {
        var engine = try engine()
        let events = values.enumerated().map { index, value in
            engine.evaluate(sample(cpu: value), at: 1000 + 5 * Double(index)).map(short).joined(separator: ",")
        }
        #expect(events == expected, "\(name)")
    }

    @Test func `Without a hold time an alert is raised at once`() throws {
        var engine = try engine(hold: 0)
        #expect(engine.evaluate(sample(cpu: 0.5), at: 0).map(short) == ["+cpu warning"])
    }

    @Test func `With a clear fraction of one, an alert clears just below the threshold`() throws {
        var engine = try engine(hold: 0, clear: 1)
        _ = engine.evaluate(sample(cpu: 0.5), at: 0)
        #expect(engine.evaluate(sample(cpu: 0.499), at: 1).map(short) == ["-cpu warning"])
    }

    @Test func `An alert has a title, a detail, a value, a threshold and a start time`() throws {
        var engine = try engine(hold: 0)
        _ = engine.evaluate(sample(cpu: 0.612), at: 100)
        let raised = try #require(engine.openAlerts.first)
        #expect(
            raised
                == Alert(
                    id: "cpu", level: .warning, title: "Processor use is high",
                    detail: "61.2 % of all cores busy; the threshold is 50.0 %", value: 0.612, threshold: 0.5,
                    raisedAt: 100))
        _ = engine.evaluate(sample(cpu: 0.97), at: 101)
        let worse = try #require(engine.openAlerts.first)
        #expect(
            worse
                == Alert(
                    id: "cpu", level: .error, title: "Processor use is too high",
                    detail: "97.0 % of all cores busy; the threshold is 80.0 %", value: 0.97, threshold: 0.8,
                    raisedAt: 100))
        _ = engine.evaluate(sample(cpu: 0.9), at: 102)
        #expect(engine.openAlerts.first?.value == 0.9)
    }

    @Test func `Processors, memory, load and each disk have alerts of their own`() throws {
        let threshold = AlertThreshold(warning: 0.5)
        var engine = AlertEngine(
            rules: try AlertRules(
                cpu: threshold, memory: threshold, loadPerCore: AlertThreshold(error: 2), disk: threshold,
                holdSeconds: 0))
        let events = engine.evaluate(
            sample(cpu: 0.6, memory: 0.6, load: 4.5, cores: 2, disks: ["/": 0.6, "/a": 0.1, "/b": 0.7]), at: 0)
        #expect(
            events.map(short) == [
                "+cpu warning", "+memory warning", "+load error", "+disk:/ warning", "+disk:/b warning",
            ])
        #expect(engine.openAlerts.map(\.id) == ["cpu", "disk:/", "disk:/b", "load", "memory"])
        let load = try #require(engine.openAlerts.first { $0.id == "load" })
        #expect(load.detail == "2.3 threads per core want to run; the threshold is 2.0")
        #expect(load.value == 2.25)
        let disk = try #require(engine.openAlerts.first { $0.id == "disk:/b" })
        #expect(disk.title == "Use of the disk at /b is high")
        #expect(disk.detail == "70.0 % of /dev/x used; the threshold is 50.0 %")
    }

    @Test func `A figure without a rule raises no alert`() throws {
        var engine = AlertEngine(rules: try AlertRules(holdSeconds: 0))
        #expect(engine.evaluate(sample(cpu: 1, memory: 1, load: 1000, disks: ["/": 1]), at: 0) == [])
    }

    @Test func `Load without a number of cores raises no alert`() throws {
        var engine = AlertEngine(rules: try AlertRules(loadPerCore: AlertThreshold(warning: 1), holdSeconds: 0))
        for cores in [nil, 0, -1] { #expect(engine.evaluate(sample(load: 1000, cores: cores), at: 0) == []) }
        #expect(engine.evaluate(sample(load: 1000, cores: 1), at: 0).map(short) == ["+load warning"])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `A figure that is not a finite number counts as missing`(value: Double) throws {
        var engine = try engine(hold: 0)
        #expect(engine.evaluate(sample(cpu: value), at: 0) == [])
        _ = engine.evaluate(sample(cpu: 0.6), at: 1)
        #expect(engine.evaluate(sample(cpu: value), at: 2) == [])
        #expect(engine.openAlerts.map(\.value) == [0.6])
    }

    @Test func `A missing figure leaves its alert unchanged`() throws {
        var engine = try engine(hold: 0)
        _ = engine.evaluate(sample(cpu: 0.6, disks: ["/": 0.6, "/b": 0.6]), at: 0)
        let before = engine.activeAlerts
        #expect(engine.evaluate(sample(missing: ["cpu", "disks"]), at: 1) == [])
        #expect(engine.activeAlerts == before)
        #expect(engine.evaluate(sample(disks: ["/": 0.6], missing: ["disk:/b"]), at: 1) == [])
        #expect(engine.activeAlerts == before)
    }

    @Test func `A missing figure doesn't restart the hold time`() throws {
        var engine = try engine()
        #expect(engine.evaluate(sample(cpu: 0.6), at: 0) == [])
        #expect(engine.evaluate(sample(), at: 5) == [])
        #expect(engine.evaluate(sample(cpu: 0.6), at: 10).map(short) == ["+cpu warning"])
    }

    @Test func `The alert of an unmounted disk clears`() throws {
        var engine = try engine(hold: 0)
        _ = engine.evaluate(sample(disks: ["/": 0.6, "/b": 0.9]), at: 0)
        #expect(engine.evaluate(sample(disks: ["/": 0.6]), at: 1).map(short) == ["-disk:/b error"])
        #expect(engine.openAlerts.map(\.id) == ["disk:/"])
    }

    @Test func `A disk that comes back restarts its hold time, and no state is kept meanwhile`() throws {
        var engine = try engine()
        let fresh = engine
        #expect(engine.evaluate(sample(disks: ["/b": 0.6]), at: 0) == [])
        #expect(engine.evaluate(sample(), at: 5) == [])
        #expect(engine == fresh)
        #expect(engine.evaluate(sample(disks: ["/b": 0.6]), at: 10) == [])
    }

    @Test func `An acknowledged alert is not open, and is not raised again until it has cleared`() throws {
        var engine = try engine(hold: 0)
        _ = engine.evaluate(sample(cpu: 0.6), at: 0)
        let acknowledged = try engine.acknowledge("cpu", by: "anna", timeOfDay: 5)
        #expect(acknowledged.acknowledgedBy == "anna")
        #expect(acknowledged.acknowledgedAt == 5)
        #expect(engine.openAlerts == [])
        #expect(engine.activeAlerts == [acknowledged])
        #expect(engine.evaluate(sample(cpu: 0.45), at: 6) == [])
        #expect(engine.evaluate(sample(cpu: 0.7), at: 7) == [])
        #expect(engine.openAlerts == [])
        let cleared = engine.evaluate(sample(cpu: 0.1), at: 8)
        #expect(cleared.map(short) == ["-cpu warning"])
        if case .cleared(let alert) = cleared.first { #expect(alert.acknowledgedBy == "anna") }
        #expect(engine.activeAlerts == [])
        #expect(engine.evaluate(sample(cpu: 0.6), at: 9).map(short) == ["+cpu warning"])
        #expect(engine.openAlerts.map(\.acknowledgedBy) == [nil])
    }

    @Test func `An acknowledged alert that becomes an error reports that and stays acknowledged`() throws {
        var engine = try engine(hold: 0)
        _ = engine.evaluate(sample(cpu: 0.6), at: 0)
        try engine.acknowledge("cpu", by: "anna", timeOfDay: 5)
        #expect(engine.evaluate(sample(cpu: 0.9), at: 6).map(short) == [">cpu warning error"])
        #expect(engine.openAlerts == [])
        #expect(engine.activeAlerts.map(\.acknowledgedBy) == ["anna"])
    }

    @Test func `Only an active alert can be acknowledged, and only once`() throws {
        var engine = try engine()
        _ = engine.evaluate(sample(cpu: 0.6), at: 0)
        for id in ["cpu", "nothing", ""] {
            let error = #expect(throws: AlertError.self) { try engine.acknowledge(id, by: "anna", timeOfDay: 1) }
            #expect(error?.code == .unknownAlert)
            #expect(error?.message.contains("'\(id)'") == true)
        }
        _ = engine.evaluate(sample(cpu: 0.6), at: 10)
        try engine.acknowledge("cpu", by: "anna", timeOfDay: 11)
        let error = #expect(throws: AlertError.self) { try engine.acknowledge("cpu", by: "bob", timeOfDay: 12) }
        #expect(error?.code == .alreadyAcknowledged(by: "anna"))
        #expect(error?.message.contains("anna") == true)
        #expect(engine.activeAlerts.map(\.acknowledgedBy) == ["anna"])
        #expect(engine.activeAlerts.map(\.acknowledgedAt) == [11])
    }

    @Test(arguments: [86_400, -86_400, 1e9, -1e9])
    func `A change of the time of day neither raises an alert early nor delays it`(jump: Double) throws {
        var engine = try engine()
        #expect(engine.evaluate(sample(cpu: 0.6), at: 1000, timeOfDay: 2e9) == [])
        #expect(engine.evaluate(sample(cpu: 0.6), at: 1009, timeOfDay: 2e9 + 9 + jump) == [])
        let events = engine.evaluate(sample(cpu: 0.6), at: 1010, timeOfDay: 2e9 + 10 + jump)
        #expect(events.map(short) == ["+cpu warning"])
        #expect(engine.openAlerts.map(\.raisedAt) == [2e9 + 10 + jump])
    }

    @Test func `New rules apply from the next sample on`() throws {
        var engine = try engine(hold: 0)
        _ = engine.evaluate(sample(cpu: 0.9, disks: ["/": 0.9]), at: 0)
        engine.rules = try AlertRules(cpu: AlertThreshold(warning: 0.7), holdSeconds: 0, clearFraction: 0.8)
        #expect(
            engine.evaluate(sample(cpu: 0.9, disks: ["/": 0.9]), at: 1).map(short) == [
                ">cpu error warning", "-disk:/ error",
            ])
        #expect(engine.openAlerts.map(\.threshold) == [0.7])
        engine.rules = try AlertRules(holdSeconds: 0)
        #expect(engine.evaluate(sample(missing: ["cpu"]), at: 2).map(short) == ["-cpu warning"])
    }

    @Test func `A mount point that is listed twice in a sample is checked once`() throws {
        var engine = try engine(hold: 0)
        #expect(engine.evaluate(sample(disks: ["/": 0.6, "/": 0.1]), at: 0).map(short) == ["+disk:/ warning"])
    }
}

extension AlertEngine {
    /// For all tests except those about the time of day.
    fileprivate mutating func evaluate(_ sample: MachineSample, at now: Double) -> [AlertEvent] {
        evaluate(sample, at: now, timeOfDay: now)
    }
}
