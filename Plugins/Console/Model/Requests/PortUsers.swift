/// Whose programs listen on a port of this machine, as the kernel says in `/proc/net/tcp` and `/proc/net/tcp6`.
package enum PortUsers {
    private static let listening: Substring = "0A"

    /// The numbers of the users.
    /// - Parameter table: the text of such a file.
    package static func listening(on port: Int, in table: String) -> Set<UInt32> {
        Set(
            table.split(separator: "\n").compactMap { line in
                // Such as: 0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 ...
                let words = line.split(separator: " ")
                guard words.count > 7, words[3] == Self.listening,
                    let number = words[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) }), number == port
                else { return nil }
                return UInt32(words[7])
            })
    }
}
