import FoundationEssentials
import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct AlertRulesTests {
    private func decode(_ json: String) throws -> AlertRules {
        try JSONDecoder().decode(AlertRules.self, from: Data(json.utf8))
    }

    @Test func `A configuration can be decoded`() throws {
        let rules = try decode(
            """
            {"cpu": {"warning": 0.9, "error": 0.98}, "memory": {"warning": 0.9}, "disk": {"error": 1},
             "loadPerCore": {"warning": 2}, "holdSeconds": 60, "clearFraction": 0.8}
            """)
        #expect(
            try rules
                == AlertRules(
                    cpu: AlertThreshold(warning: 0.9, error: 0.98), memory: AlertThreshold(warning: 0.9),
                    loadPerCore: AlertThreshold(warning: 2), disk: AlertThreshold(error: 1), holdSeconds: 60,
                    clearFraction: 0.8))
        #expect(try JSONDecoder().decode(AlertRules.self, from: JSONEncoder().encode(rules)) == rules)
    }

    @Test func `Every key is optional`() throws {
        let rules = try decode("{\"cpu\": null}")
        #expect(try rules == AlertRules())
        #expect(rules.cpu == nil && rules.disk == nil)
        #expect(rules.holdSeconds == 30)
        #expect(rules.clearFraction == 0.9)
    }

    private static let fraction = "a fraction more than 0 and at most 1"
    private static let load = "a number more than 0 and at most 1000"
    private static let keys = "'cpu', 'memory', 'loadPerCore', 'disk', 'holdSeconds', 'clearFraction'"

    @Test(arguments: [
        (#"{"cpu": {"warning": 0}}"#, "cpu.warning", fraction),
        (#"{"cpu": {"warning": -0.5}}"#, "cpu.warning", fraction),
        (#"{"cpu": {"error": 1.01}}"#, "cpu.error", fraction),
        (#"{"cpu": {"warning": 90}}"#, "cpu.warning", fraction),
        (#"{"memory": {"warning": 0.5, "error": 2}}"#, "memory.error", fraction),
        (#"{"disk": {"warning": 1e300}}"#, "disk.warning", fraction),
        (#"{"loadPerCore": {"warning": 1001}}"#, "loadPerCore.warning", load),
        (#"{"loadPerCore": {"error": 0}}"#, "loadPerCore.error", load),
        (#"{"cpu": {"warning": 0.9, "error": 0.9}}"#, "cpu.warning", "below cpu.error, \(fraction)"),
        (#"{"disk": {"warning": 0.9, "error": 0.8}}"#, "disk.warning", "below disk.error, \(fraction)"),
        (#"{"cpu": {}}"#, "cpu", "left out, or have a 'warning' or an 'error' level"),
        (#"{"holdSeconds": -1}"#, "holdSeconds", "a number of seconds from 0 to 86400"),
        (#"{"holdSeconds": 86401}"#, "holdSeconds", "a number of seconds from 0 to 86400"),
        (#"{"clearFraction": 0}"#, "clearFraction", fraction),
        (#"{"clearFraction": 1.1}"#, "clearFraction", fraction),
        (#"{"holdSeconds": "30"}"#, "holdSeconds", "a number"),
        (#"{"cpu": {"warning": "high"}}"#, "cpu.warning", "a number"),
        (#"{"cpu": 0.9}"#, "cpu", "an object with the keys 'warning', 'error'"),
        (#"{"cpu": {"waring": 0.9}}"#, "cpu.waring", "left out: the keys are 'warning', 'error'"),
        (#"{"cpus": {"warning": 0.9}}"#, "cpus", "left out: the keys are \(keys)"),
    ])
    func `The error names the key and the allowed values`(json: String, key: String, allowed: String) {
        let error = #expect(throws: AlertRulesError.self) { try decode(json) }
        #expect(error == AlertRulesError(key: key, allowed: allowed))
        #expect(error.map { "\($0)" } == "The alert rule '\(key)' has to be \(allowed).")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `A number that is not finite is refused`(value: Double) {
        #expect(throws: AlertRulesError.self) { try AlertRules(cpu: AlertThreshold(warning: value)) }
        #expect(throws: AlertRulesError.self) { try AlertRules(loadPerCore: AlertThreshold(error: value)) }
        #expect(throws: AlertRulesError.self) { try AlertRules(holdSeconds: value) }
        #expect(throws: AlertRulesError.self) { try AlertRules(clearFraction: value) }
    }

    @Test func `The limits themselves are allowed`() throws {
        let rules = try AlertRules(
            cpu: AlertThreshold(warning: 0.001, error: 1), loadPerCore: AlertThreshold(error: 1000),
            holdSeconds: 86_400, clearFraction: 1)
        #expect(rules.holdSeconds == 86_400)
        #expect(try AlertRules(holdSeconds: 0).holdSeconds == 0)
    }
}
