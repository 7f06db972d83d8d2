/// The bytes read from and written to a block device since the start of the machine: a line of `/proc/diskstats`.
struct DiskCounters: Hashable, Sendable {
    let name: String
    let readBytes: UInt64
    let writtenBytes: UInt64

    /// Parses the whole file and skips lines in another format. Nil when there are only such lines.
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
        // In some containers the file is empty.
        return counters.isEmpty && !bytes.isEmpty ? nil : counters
    }

    /// The unit of the counters: 512 bytes, regardless of the device's sector size.
    private static func byteCount(sectors field: ArraySlice<UInt8>) -> UInt64? {
        guard let sectors = ProcText.number(field) else { return nil }
        let (bytes, overflow) = sectors.multipliedReportingOverflow(by: 512)
        return overflow ? nil : bytes
    }
}
