/// What was read from and written to a block device since the start: a line of `/proc/diskstats`.
struct DiskCounters: Hashable, Sendable {
    let name: String
    let readBytes: UInt64
    let writtenBytes: UInt64

    /// Parses the whole file; lines of another shape are left out. Nil when nothing else is in it.
    static func all(parsing bytes: [UInt8]) -> [DeviceNumber: DiskCounters]? {
        var counters: [DeviceNumber: DiskCounters] = [:]
        for line in ProcText.completeLines(of: bytes) {
            let fields = ProcText.fields(of: line)
            guard fields.count >= 10, let device = DeviceNumber(major: fields[0], minor: fields[1]),
                let read = byteCount(sectors: fields[5]), let written = byteCount(sectors: fields[9])
            else { continue }
            counters[device] = DiskCounters(
                name: ProcText.printable(fields[2], maximumBytes: 64), readBytes: read, writtenBytes: written)
        }
        // Some containers have an empty file.
        return counters.isEmpty && !bytes.isEmpty ? nil : counters
    }

    /// A sector here has 512 bytes, whatever the device's own sectors have.
    private static func byteCount(sectors field: ArraySlice<UInt8>) -> UInt64? {
        guard let sectors = ProcText.number(field) else { return nil }
        let (bytes, overflow) = sectors.multipliedReportingOverflow(by: 512)
        return overflow ? nil : bytes
    }
}
