/// What does not get through between the machines of a lab, as a value; and the same in the words of nftables.
struct TrafficRules: Hashable, Sendable {
    /// From one machine to another.
    struct Way: Hashable, Sendable, Comparable {
        var from: Int
        var to: Int

        static func < (left: Way, right: Way) -> Bool { (left.from, left.to) < (right.from, right.to) }
    }

    /// Ways on which nothing gets through.
    var cut: Set<Way> = []
    /// The percentage of packets that are lost, for each machine that loses any, in both directions.
    var loss: [Int: Int] = [:]

    /// A script for `nft -f` that puts these rules in the place of all earlier ones.
    var script: String {
        var lines = ["table bridge lab {", "chain forward {", "type filter hook forward priority 0; policy accept;"]
        for way in cut.sorted() {
            lines.append("iifname \"port\(way.from)\" oifname \"port\(way.to)\" drop")
        }
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
