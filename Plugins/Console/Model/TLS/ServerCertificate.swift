import Glibc

/// What the console has to know of its certificate: for which names it is, and when.
package struct ServerCertificate: Hashable, Sendable {
    /// The names and addresses that it has, such as `console.example.com`, `*.example.com` or `192.0.2.1`.
    package let names: [String]
    /// When it begins and ends to be valid, in seconds since 1970.
    private let start, end: Double

    package init(names: [String], start: Double, end: Double) {
        (self.names, self.start, self.end) = (names.map { $0.lowercased() }, start, end)
    }

    /// Why no browser takes it at a time; `nil` if it is valid.
    package func problem(at now: Double) -> String? {
        if now < start {
            return "it is valid from \(Self.text(start)) on, and this machine's clock says \(Self.text(now))"
        }
        if now >= end { return "it was valid until \(Self.text(end))" }
        return nil
    }

    /// When it ends, if that is in less than a week, or less than a third of its time; `nil` for one that has longer.
    package func end(near now: Double) -> String? {
        end - now < min(7 * 86_400, (end - start) / 3) ? Self.text(end) : nil
    }

    /// Whether browsers take it for a host.
    /// - Parameter host: a name or an address, without a port and brackets.
    package func isFor(_ host: String) -> Bool {
        let host = host.lowercased()
        if names.contains(host) { return true }
        // A star stands for one part of a name.
        let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        guard !isAddress, let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        return names.contains("*\(host[dot...])")
    }

    /// A point in time as `2026-11-29 14:30 UTC`.
    private static func text(_ seconds: Double) -> String {
        // No year has more digits than four until then.
        var time = time_t(min(max(seconds, 0), 253_402_300_799))
        var parts = tm()
        gmtime_r(&time, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let base = text.baseAddress, strftime(base, text.count, "%Y-%m-%d %H:%M UTC", &parts) > 0 else {
                return "\(seconds)"
            }
            return String(cString: base)
        }
    }
}
