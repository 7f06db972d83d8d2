/// The content of `/proc/stat`: processor times and the machine's start time.
struct KernelStatistics: Hashable, Sendable {
    var total: CPUTimes?
    var cores: [Int: CPUTimes] = [:]
    var bootTime: Double?

    init(parsing bytes: [UInt8]) {
        for line in ProcText.completeLines(of: bytes) {
            let fields = ProcText.fields(of: line)
            guard let key = fields.first else { continue }
            if key.elementsEqual("btime".utf8) {
                bootTime = fields.dropFirst().first.flatMap { ProcText.number($0) }.map { Double($0) }
            } else if key.elementsEqual("cpu".utf8) {
                total = CPUTimes(fields: fields.dropFirst())
            } else if key.starts(with: "cpu".utf8),
                let core = ProcText.number(key.dropFirst(3)).flatMap({ Int(exactly: $0) })
            {
                cores[core] = CPUTimes(fields: fields.dropFirst())
            }
        }
    }
}
