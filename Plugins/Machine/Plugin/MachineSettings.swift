import MachineModel
import PluginKit

/// The plugin's configuration from the manifest.
struct MachineSettings: Codable {
    var intervalSeconds = 1.0
    var topProcesses = 20
    var alerts: AlertRules

    /// - Throws: an error that names the key and the allowed values.
    init(_ configuration: [String: CBORValue]) throws {
        let known: Set = ["intervalSeconds", "topProcesses", "alerts"]
        if let key = configuration.keys.sorted().first(where: { !known.contains($0) }) {
            throw SettingsError(description: "unknown configuration key '\(key)'; the keys are: \(known.sorted())")
        }
        if let value = configuration["intervalSeconds"] {
            guard let seconds = value.doubleValue, (0.1...3600).contains(seconds) else {
                throw SettingsError(description: "'intervalSeconds' must be a number from 0.1 to 3600")
            }
            intervalSeconds = seconds
        }
        if let value = configuration["topProcesses"] {
            guard let count = value.intValue, (1...1000).contains(count) else {
                throw SettingsError(description: "'topProcesses' must be a number from 1 to 1000")
            }
            topProcesses = count
        }
        alerts = try configuration["alerts"]?.decode(as: AlertRules.self) ?? AlertRules()
    }
}

struct SettingsError: Error, CustomStringConvertible {
    let description: String
}
