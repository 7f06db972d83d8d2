/// An error of an application.
public enum ApplicationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The delegate, whose class has this name, refused to launch.
    case launchRefused(by: String)
    /// This process has no configuration of that name, or no name was given and there is not exactly one configuration.
    /// `known` contains the names of all configurations.
    case unknownConfiguration(String?, known: [String])

    public var description: String {
        switch self {
        case .launchRefused(let delegate): return "\(delegate) refused to launch the application"
        case .unknownConfiguration(let name, let known):
            let asked = name.map { "no scene configuration is called '\($0)'" } ?? "no scene configuration was named"
            return "\(asked); there are: \(known.isEmpty ? "none" : known.joined(separator: ", "))"
        }
    }
}
