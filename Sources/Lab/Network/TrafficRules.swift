/// The blocked traffic between the machines of a lab, as a value that is translated to nftables rules.
struct TrafficRules: Hashable, Sendable {
    /// The direction from one machine to another.
    struct Way: Hashable, Sendable, Comparable {
        var from: Int
        var to: Int

        static func < (left: Way, right: Way) -> Bool { (left.from, left.to) < (right.from, right.to) }
    }

    /// The connections of one machine to a port of another, in one direction.
    struct Flow: Hashable, Sendable, Comparable {
        var listener: Int
        var port: UInt16
        var peer: Int
        /// Whether the packets from the listener are dropped; otherwise the packets to it are dropped.
        var isFromListener: Bool
        /// The peer's ports of the affected connections; `nil` for all.
        var peerPorts: [UInt16]?

        fileprivate var rule: String? {
            let (from, to) = isFromListener ? (listener, peer) : (peer, listener)
            let (own, others) = isFromListener ? ("sport", "dport") : ("dport", "sport")
            var rule = "iifname \"port\(from)\" oifname \"port\(to)\" ether type ip tcp \(own) \(port) "
            if let peerPorts {
                // An empty set is an error in nftables.
                guard !peerPorts.isEmpty else { return nil }
                rule += "tcp \(others) { \(peerPorts.map(String.init).joined(separator: ", ")) } "
            }
            return rule + "drop"
        }

        private var order: [Int] { [listener, Int(port), peer, isFromListener ? 1 : 0] }
        static func < (left: Flow, right: Flow) -> Bool { left.order.lexicographicallyPrecedes(right.order) }
    }

    /// The blocked directions.
    var cut: Set<Way> = []
    /// The blocked connections.
    var cutFlows: Set<Flow> = []
    /// The percentage of dropped packets in both directions, for each machine that drops any.
    var loss: [Int: Int] = [:]

    /// A script for `nft -f` that replaces all earlier rules with these.
    var script: String {
        var lines = ["table bridge lab {", "chain forward {", "type filter hook forward priority 0; policy accept;"]
        for way in cut.sorted() {
            lines.append("iifname \"port\(way.from)\" oifname \"port\(way.to)\" drop")
        }
        lines += cutFlows.sorted().compactMap(\.rule)
        for (machine, percent) in loss.sorted(by: { $0.key < $1.key }) where percent > 0 {
            // `mod 100` is always below 100, so 100 percent needs no condition.
            let chance = percent < 100 ? "numgen random mod 100 < \(percent) " : ""
            for direction in ["iifname", "oifname"] {
                // Only IP packets: a lost ARP reply would cause seconds of silence, whatever the percentage.
                lines.append("ether type ip \(direction) \"port\(machine)\" \(chance)drop")
            }
        }
        // Deleting a missing table is an error, but adding an existing one is not.
        return (["add table bridge lab", "delete table bridge lab"] + lines + ["}", "}"]).joined(separator: "\n") + "\n"
    }
}
