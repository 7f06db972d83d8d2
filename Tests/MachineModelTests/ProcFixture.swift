import TestKit
@testable import MachineModel

/// A small `/proc` in a temporary folder: two cores, a disk, a container's mounts, two interfaces, three processes.
struct ProcFixture {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("machine-1\n", to: "sys/kernel/hostname")
        try folder.write("6.1.0-18-amd64\n", to: "sys/kernel/osrelease")
        try folder.write("1000.50 1500.00\n", to: "uptime")
        try folder.write(
            """
            cpu  100 0 100 800 0 0 0 0 0 0
            cpu0 50 0 50 400 0 0 0 0 0 0
            cpu1 50 0 50 400 0 0 0 0 0 0
            intr 12345 0 1 2
            ctxt 199067
            btime 1700000000
            processes 4000

            """, to: "stat")
        try folder.write(
            """
            MemTotal:       1000 kB
            MemFree:         100 kB
            MemAvailable:    400 kB
            Buffers:          50 kB
            Cached:          250 kB
            SwapTotal:       200 kB
            SwapFree:        150 kB
            HugePages_Total:   0

            """, to: "meminfo")
        try folder.write("0.50 1.25 2.00 3/456 7890\n", to: "loadavg")
        try folder.write(
            """
            22 27 0:21 / /proc rw,relatime - proc proc rw
            24 27 0:6 / /dev rw,relatime - devtmpfs devtmpfs rw
            27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw

            """, to: "self/mountinfo")
        try folder.write(
            """
               7       0 loop0 0 0 0 0 0 0 0 0 0 0 0
             254       0 vda 10 0 1000 5 20 0 2000 6 0 7 11 0 0 0 0

            """, to: "diskstats")
        try folder.write(
            """
            Inter-|   Receive                                                |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
                lo:    3193      29    0    0    0     0          0         0     3193      29    0    0
              eth0: 1000000     399    0    0    0     0          0         0    20000     257    0    0

            """, to: "net/dev")
        try process(1, "systemd", ticks: 100, residentPages: 10, commandLine: "/sbin/init\0splash\0", user: 0)
        try process(2, "kthreadd", state: "I", ticks: 0, residentPages: 0)
        try process(40, "a (b) c", ticks: 50, residentPages: 300, commandLine: "server\0--port\080\0", user: 1000)
        // Neither of these is a process.
        try folder.write("x", to: "bus/x")
        try folder.write("x", to: "12x/stat")
    }

    var reader: ProcReader {
        ProcReader(root: folder.path) { _ in
            FileSystemCapacity(totalBytes: 1000, usedBytes: 600, freeBytes: 300)
        }
    }

    func process(
        _ pid: Int, _ name: String, state: String = "S", ticks: Int, residentPages: Int, startTicks: Int = 77,
        commandLine: String = "", user: Int = 0
    ) throws {
        let stat =
            "\(pid) (\(name)) \(state) 1 1 1 0 -1 4194304 98 0 0 0 \(ticks) 0 5 5 20 0 3 0 \(startTicks) 3133440 "
            + "\(residentPages) 18446744073709551615 1 2 3\n"
        try folder.write(stat, to: "\(pid)/stat")
        try folder.write(commandLine, to: "\(pid)/cmdline")
        try folder.write("Name:\t\(name)\nUid:\t5\t\(user)\t6\t7\n", to: "\(pid)/status")
    }
}
