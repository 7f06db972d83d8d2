/// A figure of a sample that a rule watches.
struct AlertReading {
    let id: String
    let value: Double
    let threshold: AlertThreshold
    private let subject: String
    private let figure: String

    private init(id: String, value: Double, threshold: AlertThreshold, subject: String, figure: String) {
        self.id = id
        self.value = value
        self.threshold = threshold
        self.subject = subject
        self.figure = figure
    }

    /// All figures of a sample that have a rule.
    static func all(of sample: MachineSample, _ rules: AlertRules) -> [AlertReading] {
        var readings: [AlertReading] = []
        func add(_ id: String, _ value: Double?, _ threshold: AlertThreshold?, subject: String, figure: String) {
            guard let value, value.isFinite, let threshold else { return }
            readings.append(
                AlertReading(id: id, value: value, threshold: threshold, subject: subject, figure: figure))
        }
        add("cpu", sample.cpu?.total, rules.cpu, subject: "Processor use", figure: "of all cores busy")
        add("memory", sample.memory?.fractionUsed, rules.memory, subject: "Memory use", figure: "of the memory used")
        let loadPerCore = sample.load.flatMap { load in
            sample.identity.cores.flatMap { $0 > 0 ? load.oneMinute / Double($0) : nil }
        }
        add("load", loadPerCore, rules.loadPerCore, subject: "Load", figure: "threads per core want to run")
        var mountPoints = Set<String>()
        for disk in sample.disks where mountPoints.insert(disk.mountPoint).inserted {
            add(
                "disk:\(disk.mountPoint)", disk.fractionUsed, rules.disk,
                subject: "Use of the disk at \(disk.mountPoint)",
                figure: "of \(disk.device) used")
        }
        return readings
    }

    /// Whether an alert has no reading only because the sample lacks the figure. False when its disk is no longer
    /// mounted or its rule was removed.
    static func isUnknown(_ id: String, in sample: MachineSample, _ rules: AlertRules) -> Bool {
        switch id {
        case "cpu": rules.cpu != nil
        case "memory": rules.memory != nil
        case "load": rules.loadPerCore != nil
        default: rules.disk != nil && sample.missing.contains { $0.figure == "disks" || $0.figure == id }
        }
    }

    func title(_ level: AlertLevel) -> String {
        switch level {
        case .warning: "\(subject) is high"
        case .error: "\(subject) is too high"
        }
    }

    func detail(threshold: Double) -> String {
        "\(shown(value)) \(figure); the threshold is \(shown(threshold))"
    }

    private func shown(_ value: Double) -> String {
        // Real figures are far below the bound. It keeps an arbitrary sample from trapping in the conversion.
        let tenths = Int((min(max(value, 0), 1e12) * (id == "load" ? 10 : 1000)).rounded())
        return "\(tenths / 10).\(tenths % 10)" + (id == "load" ? "" : " %")
    }
}
