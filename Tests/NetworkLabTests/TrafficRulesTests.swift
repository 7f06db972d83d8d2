import Testing

@testable import NetworkLab

@Suite(.timeLimit(.minutes(5)))
struct TrafficRulesTests {
    @Test("no rule lets everything through, and takes the place of the rules before")
    func empty() {
        let script = TrafficRules().script
        #expect(script.hasPrefix("add table bridge lab\ndelete table bridge lab\ntable bridge lab {"))
        #expect(!script.contains("drop"))
    }

    @Test("a way is cut in its direction only")
    func direction() {
        var rules = TrafficRules()
        rules.cut = [.init(from: 2, to: 1)]
        #expect(rules.script.contains("iifname \"port2\" oifname \"port1\" drop"))
        #expect(!rules.script.contains("iifname \"port1\""))
    }

    @Test("a flow is cut at its port and in its direction, for all connections or for those that are there")
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
        // Where there is none, nothing is cut.
        rules.cutFlows = [.init(listener: 1, port: 5570, peer: 3, isFromListener: false, peerPorts: [])]
        #expect(!rules.script.contains("drop"))
    }

    @Test("loss is a chance in both directions, none at 0, certain at 100")
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
    @Test("a namespace's name tells its lab, and others are none of ours")
    func parsing() throws {
        let name = LabName.new()
        #expect(LabName(namespace: name.namespace("hub")) == name)
        #expect(name.hasMaker)
        for other in ["blue", "sblab-1-2-3", "sblab-x-2-3-hub", "sblab-1-2-g-hub", "web-1-2-3-hub"] {
            #expect(LabName(namespace: other) == nil)
        }
    }

    @Test("a process that took a gone maker's id is not taken for it")
    func maker() throws {
        let name = LabName.new()
        let later = LabName(maker: name.maker, makerStart: name.makerStart + 1, number: 1)
        #expect(!later.hasMaker)
    }
}
