/// The version of SceneBus of which this process was built.
package enum SceneBusVersion {
    package static let current = "1.0.0"
}
