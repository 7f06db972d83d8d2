/// The identity of a process, whatever its link.
package struct ProcessIdentity: Hashable, Sendable {
    package var peer: String
    package var pid: Int32
    package var life: UInt64?

    /// The ``life`` of this process: a random number, which distinguishes it from a process with the same name and
    /// process ID on another machine.
    package static let ownLife = UInt64.random(in: 1 ... .max)

    package init(peer: String, pid: Int32, life: UInt64? = nil) {
        self.peer = peer
        self.pid = pid
        self.life = life
    }
}
