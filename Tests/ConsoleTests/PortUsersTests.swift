import ConsoleModel
import Testing

/// Who listens on a port, in the kernel's words.
@Suite(.timeLimit(.minutes(5)))
struct PortUsersTests {
    /// The head of the table, and lines of: a listener on 127.0.0.1:8080, another on 0.0.0.0:8080, a connection to 8080 and one of it.
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 30911 1 0 100 0 0 10 0
           1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 65534        0 30912 1 0 100 0 0 10 0
           2: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     7        0 30913 1 0 20 4 30 10 -1
           3: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     8        0 30914 1 0 20 4 30 10 -1
        """

    @Test("Those count who listen on the port, at whichever address, and not those who are connected")
    func listening() {
        #expect(PortUsers.listening(on: 8080, in: Self.table) == [1000, 65534])
        #expect(PortUsers.listening(on: 40000, in: Self.table) == [])
    }

    @Test("A table of version 6 is read as well")
    func version6() {
        let line =
            "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A "
            + "00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0"
        #expect(PortUsers.listening(on: 80, in: line) == [0])
    }

    @Test(
        "What is no such table names nobody",
        arguments: ["", "\n", "a b c", "0: x y 0A a b c d", "0: :1F90 y 0A a b c -1"])
    func other(text: String) {
        #expect(PortUsers.listening(on: 8080, in: text) == [])
    }
}
