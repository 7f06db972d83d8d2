import Glibc

/// Why no machines can be made here, and the way out.
package enum LabObstacle: Error, Hashable, CustomStringConvertible {
    /// A tool is not installed.
    case missing(tool: String, package: String)
    /// This process may not make network namespaces.
    case notPermitted(capability: String)

    package var description: String {
        switch self {
        case .missing(let tool, let package):
            "no network namespaces: '\(tool)' is not installed; apt-get install \(package)"
        case .notPermitted(let capability):
            "no network namespaces: this process has not \(capability); run it as root, in a container with that capability"
        }
    }

    /// What stands in the way on this machine; `nil` when nothing is known to.
    package static let here: LabObstacle? = {
        let tools = [("ip", "iproute2"), ("nft", "nftables")]
        if let (tool, package) = tools.first(where: { Tool.path(of: $0.0) == nil }) {
            return .missing(tool: tool, package: package)
        }
        let mask = capabilities()
        // Namespaces keep their names as mounts, which takes the second.
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
