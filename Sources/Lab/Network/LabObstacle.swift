import Glibc

/// The reason why no machines can be created here, with the remedy.
package enum LabObstacle: Error, Hashable, CustomStringConvertible {
    /// A tool is not installed.
    case missing(tool: String, package: String)
    /// This process is not allowed to create network namespaces.
    case notPermitted(capability: String)

    package var description: String {
        switch self {
        case .missing(let tool, let package):
            "no network namespaces: '\(tool)' is not installed; apt-get install \(package)"
        case .notPermitted(let capability):
            "no network namespaces: this process lacks \(capability); run it as root, in a container that has it"
        }
    }

    /// The obstacle on this machine; `nil` when none is known.
    package static let here: LabObstacle? = {
        let tools = [("ip", "iproute2"), ("nft", "nftables")]
        if let (tool, package) = tools.first(where: { Tool.path(of: $0.0) == nil }) {
            return .missing(tool: tool, package: package)
        }
        let mask = capabilities()
        // Named namespaces are mounts, which need the second capability.
        let needed = [("CAP_NET_ADMIN", 12), ("CAP_SYS_ADMIN", 21)]
        if let (name, _) = needed.first(where: { mask & 1 << UInt64($0.1) == 0 }) {
            return .notPermitted(capability: name)
        }
        return nil
    }()

    /// The effective capabilities of this process, as a bit mask.
    private static func capabilities() -> UInt64 {
        let key = "CapEff:"
        guard let status = ProcFile.text(at: "/proc/self/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) }),
            let digits = line.dropFirst(key.count).split(whereSeparator: \.isWhitespace).first
        else { return 0 }
        return UInt64(digits, radix: 16) ?? 0
    }
}
