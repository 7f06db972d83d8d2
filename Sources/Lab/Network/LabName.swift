import Glibc

/// The name of a lab: tells it from every other, and who made it.
///
/// The maker's id and start are in it, so that whoever comes later can see that a lab's maker is gone.
struct LabName: Hashable, Sendable {
    static let prefix = "sblab"

    let maker: pid_t
    /// When the maker started, in ticks: an id is used again, with its start it is not.
    let makerStart: UInt64
    let number: UInt32

    init(maker: pid_t, makerStart: UInt64, number: UInt32) {
        self.maker = maker
        self.makerStart = makerStart
        self.number = number
    }

    /// A new lab of this process.
    static func new() -> LabName {
        let pid = getpid()
        return LabName(
            maker: pid, makerStart: ProcFile.startTime(of: pid) ?? 0, number: .random(in: .min ... .max))
    }

    /// The lab that a namespace belongs to; `nil` when it is none of ours.
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

    /// Whether the process that made it still runs.
    var hasMaker: Bool { ProcFile.startTime(of: maker) == makerStart }
}
