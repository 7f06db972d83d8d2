import CProcess

/// The arguments of this process.
///
/// Unlike `CommandLine.arguments`, they are known without `/proc`, which a container or a rescue system may not have.
package enum ProcessArguments {
    /// The program's name as it was called, and its arguments.
    package static var all: [String] {
        (0..<scenebus_argument_count()).compactMap { scenebus_argument($0).map { String(cString: $0) } }
    }
}
