import Testing

@testable import NetworkLab

@Suite(.timeLimit(.minutes(5)))
struct TrafficRulesTests {
    @Test("Empty rules let all traffic through and replace the previous rules")
    func empty() {
        let script = TrafficRules().script
        #expect(script.hasPrefix("add table bridge lab\ndelete table bridge lab\ntable bridge lab {"))
        #expect(!script.contains("drop"))
    }

    @Test("A path is cut in the given direction only")
    func direction() {
        var rules = TrafficRules()
        rules.cut = [.init(from: 2, to: 1)]
        #expect(rules.script.contains("iifname \"port2\" oifname \"port1\" drop"))
        #expect(!rules.script.contains("iifname \"port1\""))
    }

    @Test("A flow is cut at its port and in its direction, for all connections or only for open ones")
    func flow() {
        var rules = TrafficRules()
        rules.cutFlows = [
            .init(listener: 1, port: 5571, peer: 2, isFromListener: true),
            .init(listener: 1, port: 5570, peer: 3, isFromListener: false, peerPorts: [40_001, 40_002]),
        ]
        #expect(rules.script.contains("iifname \"port1\" oifname \"port2\" ether type ip tcp sport 5571 drop"))
        #expect(
            rules.script.contains(
                "iifname \"port3\" oifname \"port1\" ether type ip tcp dport 5570 tcp sport { 40001, 40002 } drop"))
        // Without open connections, nothing is cut.
        rules.cutFlows = [.init(listener: 1, port: 5570, peer: 3, isFromListener: false, peerPorts: [])]
        #expect(!rules.script.contains("drop"))
    }

    @Test("Loss applies in both directions with the given chance: never at 0, always at 100")
    func loss() {
        var rules = TrafficRules()
        rules.loss = [1: 10, 2: 0, 3: 100]
        #expect(rules.script.contains("iifname \"port1\" numgen random mod 100 < 10 drop"))
        #expect(rules.script.contains("oifname \"port1\" numgen random mod 100 < 10 drop"))
        #expect(!rules.script.contains("port2"))
        #expect(rules.script.contains("iifname \"port3\" drop"))
    }
}

@Suite(.timeLimit(.minutes(5)))
struct LabNameTests {
    @Test("A namespace's name identifies its lab, and other names are ignored")
    func parsing() throws {
        let name = LabName.new()
        #expect(LabName(namespace: name.namespace("hub")) == name)
        #expect(name.hasMaker)
        for other in ["blue", "sblab-1-2-3", "sblab-x-2-3-hub", "sblab-1-2-g-hub", "web-1-2-3-hub"] {
            #expect(LabName(namespace: other) == nil)
        }
    }

    @Test("A process that reuses a dead maker's id does not count as the maker")
    func maker() throws {
        let name = LabName.new()
        let later = LabName(maker: name.maker, makerStart: name.makerStart + 1, number: 1)
        #expect(!later.hasMaker)
    }
}
