/// The keys of connections.
extension ConnectionTable {
    /// Notes that the key of a connection's peer was accepted.
    /// - Returns: whether the connection is still there.
    mutating func admitted(_ id: ID) -> Bool {
        guard connections[id.descriptor]?.cookie == id.cookie else { return false }
        connections[id.descriptor]?.isAdmitted = true
        return true
    }

    mutating func attested(_ descriptor: Int32, _ key: PublicKey) { connections[descriptor]?.key = key }

    /// Returns the connections over the network whose keys are meant.
    func networkIDs(where isMeant: (PublicKey?) -> Bool) -> [ID] {
        connections.compactMap { descriptor, connection in
            connection.owner < 0 && isMeant(connection.key)
                ? ID(descriptor: descriptor, cookie: connection.cookie) : nil
        }
    }
}
