/// What does not get through between the machines of a lab, as a value; and the same in the words of nftables.
struct TrafficRules: Hashable, Sendable {
    /// From one machine to another.
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
        /// What the listener sends is lost; else what it is sent.
        var isFromListener: Bool
        /// The peer's ports whose connections it is; `nil` for all.
        var peerPorts: [UInt16]?

        fileprivate var rule: String? {
            let (from, to) = isFromListener ? (listener, peer) : (peer, listener)
            let (own, others) = isFromListener ? ("sport", "dport") : ("dport", "sport")
            var rule = "iifname \"port\(from)\" oifname \"port\(to)\" ether type ip tcp \(own) \(port) "
            if let peerPorts {
                // A set of nothing is an error.
                guard !peerPorts.isEmpty else { return nil }
                rule += "tcp \(others) { \(peerPorts.map(String.init).joined(separator: ", ")) } "
            }
            return rule + "drop"
        }

        private var order: [Int] { [listener, Int(port), peer, isFromListener ? 1 : 0] }
        static func < (left: Flow, right: Flow) -> Bool { left.order.lexicographicallyPrecedes(right.order) }
    }

    /// Ways on which nothing gets through.
    var cut: Set<Way> = []
    /// Connections on which nothing gets through.
    var cutFlows: Set<Flow> = []
    /// The percentage of packets that are lost, for each machine that loses any, in both directions.
    var loss: [Int: Int] = [:]

    /// A script for `nft -f` that puts these rules in the place of all earlier ones.
    var script: String {
        var lines = ["table bridge lab {", "chain forward {", "type filter hook forward priority 0; policy accept;"]
        for way in cut.sorted() {
            lines.append("iifname \"port\(way.from)\" oifname \"port\(way.to)\" drop")
        }
        lines += cutFlows.sorted().compactMap(\.rule)
        for (machine, percent) in loss.sorted(by: { $0.key < $1.key }) where percent > 0 {
            // 100 is out of the range of `mod 100`.
            let chance = percent < 100 ? "numgen random mod 100 < \(percent) " : ""
            for direction in ["iifname", "oifname"] {
                // Not what finds the way: a lost ARP answer would be seconds of silence, whatever the percentage.
                lines.append("ether type ip \(direction) \"port\(machine)\" \(chance)drop")
            }
        }
        // Deleting what is not there is an error; adding what is there is none.
        return (["add table bridge lab", "delete table bridge lab"] + lines + ["}", "}"]).joined(separator: "\n") + "\n"
    }
}
