extension MemoryUsage {
    /// Parses `/proc/meminfo`. Nil when the total is missing or the available memory can't be determined.
    init?(parsing bytes: [UInt8]) {
        var values: [String: UInt64] = [:]
        for line in ProcText.completeLines(of: bytes) {
            let fields = ProcText.fields(of: line)
            guard fields.count >= 2, fields[0].last == UInt8(ascii: ":"), let kibibytes = ProcText.number(fields[1])
            else { continue }
            let (value, overflow) = kibibytes.multipliedReportingOverflow(by: 1024)
            guard !overflow else { continue }
            values[String(decoding: fields[0].dropLast(), as: UTF8.self)] = value
        }
        guard let total = values["MemTotal"], total > 0,
            let available = values["MemAvailable"] ?? Self.estimatedAvailable(values)
        else { return nil }
        self.init(
            totalBytes: total, availableBytes: available,
            swapTotalBytes: values["SwapTotal"] ?? 0, swapFreeBytes: values["SwapFree"] ?? 0)
    }

    /// Estimates the available memory, which kernels before 3.14 and some containers don't report.
    private static func estimatedAvailable(_ values: [String: UInt64]) -> UInt64? {
        guard let free = values["MemFree"] else { return nil }
        return [values["Buffers"] ?? 0, values["Cached"] ?? 0].reduce(free) { sum, part in
            let (next, overflow) = sum.addingReportingOverflow(part)
            return overflow ? .max : next
        }
    }
}
