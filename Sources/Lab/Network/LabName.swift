import Glibc

/// The unique name of a lab.
///
/// It contains the process id and the start time of the process that created the lab, so that other processes can
/// detect that the creator has ended.
struct LabName: Hashable, Sendable {
    static let prefix = "sblab"

    let maker: pid_t
    /// The start time of the creator, in ticks. Process ids are reused, but a pair of id and start time is unique.
    let makerStart: UInt64
    let number: UInt32

    init(maker: pid_t, makerStart: UInt64, number: UInt32) {
        self.maker = maker
        self.makerStart = makerStart
        self.number = number
    }

    /// Makes the name of a new lab of this process.
    static func new() -> LabName {
        let pid = getpid()
        return LabName(
            maker: pid, makerStart: ProcFile.startTime(of: pid) ?? 0, number: .random(in: .min ... .max))
    }

    /// The lab to which a namespace belongs; `nil` when it does not belong to a lab.
    init?(namespace: String) {
        let parts = namespace.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == Self.prefix, let maker = pid_t(parts[1]), let start = UInt64(parts[2]),
            let number = UInt32(parts[3], radix: 16)
        else { return nil }
        self.init(maker: maker, makerStart: start, number: number)
    }

    /// The namespace of one part of the lab.
    func namespace(_ part: String) -> String {
        "\(Self.prefix)-\(maker)-\(makerStart)-\(String(number, radix: 16))-\(part)"
    }

    /// Whether the process that created the lab still runs.
    var hasMaker: Bool { ProcFile.startTime(of: maker) == makerStart }
}
