import ZeroMQ

/// The files with the keys for a context's host, which are read anew before each attempt to attach: `scenebus key rotate`
/// replaces keys while workers and plugins run.
package struct KeySource: Sendable {
    private let folder: KeyFolder
    private let name: String

    package init(_ folder: KeyFolder, context: String) { (self.folder, name) = (folder, context) }

    /// The key pair of this machine; `nil` if it cannot be read.
    var keys: KeyPair? { try? folder.key(in: folder.ownKeyFile) }

    /// The key pair that is about to take its place; `nil` if there is none.
    var nextKeys: KeyPair? { try? folder.key(in: folder.ownNextKeyFile) }

    /// The context, with the host's keys; `nil` if it is gone.
    var context: HostContext? { try? folder.contexts()[name] }

    /// Notes the key that is about to take the place of the host's.
    /// - Returns: `false` if it cannot be noted now.
    func announce(_ next: PublicKey, after key: PublicKey) -> Bool {
        (try? folder.editContexts { $0.announce(next, after: key) }) != nil
    }

    /// Notes that a host is not about to have a key that it has announced.
    func forget(_ next: PublicKey) { try? folder.editContexts { $0.forget(next) } }

    /// Notes that the host has the key that it has announced.
    func replaceHost(by key: PublicKey) { try? folder.editContexts { $0.replace(by: key) } }
}
