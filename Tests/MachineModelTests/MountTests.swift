import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct MountTests {
    private func disks(_ lines: String...) -> [[String]]? {
        Mount.disks(parsing: Array(lines.map { $0 + "\n" }.joined().utf8))?.map { $0.map(\.mountPoint) }
    }

    @Test func `A line is parsed with and without optional fields`() throws {
        for optional in ["", "shared:1 ", "shared:1 master:2 propagate_from:3 "] {
            let line = "36 35 98:7 /sub /mnt/a rw,noatime \(optional)- ext3 /dev/root rw,errors=continue"
            let mount = try #require(Mount(parsing: ArraySlice(line.utf8)))
            #expect(mount.device == DeviceNumber(major: 98, minor: 7))
            #expect(mount.root == "/sub")
            #expect(mount.mountPoint == "/mnt/a")
            #expect(mount.fileSystem == "ext3")
            #expect(mount.source == "/dev/root")
        }
    }

    @Test(arguments: [
        (#"/mnt/my\040disk"#, "/mnt/my disk"), (#"/a\134b\011c\012d"#, "/a\\b\tc\nd"), (#"/a\04"#, #"/a\04"#),
        (#"/a\999"#, #"/a\999"#), (#"/a\777"#, #"/a\777"#), ("/a\\", "/a\\"), (#"/\303\244"#, "/ä"),
        (#"/\377"#, "/\u{fffd}"),
    ])
    func `Escaped characters in mount points are decoded`(written: String, mountPoint: String) throws {
        let line = "36 35 98:7 / \(written) rw - ext3 /dev/root rw"
        #expect(try #require(Mount(parsing: ArraySlice(line.utf8))).mountPoint == mountPoint)
    }

    @Test(arguments: [
        "", "36", "36 35 98:7 / /mnt rw", "36 35 98:7 / /mnt rw - ext3", "36 35 98:7 / /mnt rw shared:1 ext3 /dev/x rw",
        "36 35 98 / /mnt rw - ext3 /dev/x rw", "36 35 98:7:1 / /mnt rw - ext3 /dev/x rw",
        "36 35 x:7 / /mnt rw - ext3 /dev/x rw", "36 35 99999999999:7 / /mnt rw - ext3 /dev/x rw", "- - - - - - - - -",
    ])
    func `A malformed line is skipped`(line: String) {
        #expect(Mount(parsing: ArraySlice(line.utf8)) == nil)
        #expect(disks(line) == nil)
        #expect(disks(line, "1 0 8:1 / / rw - ext4 /dev/sda1 rw") == [["/"]])
    }

    @Test(arguments: [
        ("0:21", "proc", "proc"), ("0:22", "sysfs", "sysfs"), ("0:23", "tmpfs", "tmpfs"), ("0:6", "devtmpfs", "udev"),
        ("0:30", "cgroup2", "cgroup2"), ("0:31", "nfs4", "server:/export"), ("0:32", "cifs", "//server/share"),
        ("0:33", "fuse.sshfs", "me@server:"), ("7:1", "squashfs", "/dev/loop1"), ("11:0", "iso9660", "/dev/sr0"),
        ("0:40", "overlay", "overlay"), ("0:41", "autofs", "systemd-1"),
    ])
    func `File systems that are not disks of this machine are left out`(device: String, type: String, source: String) {
        #expect(disks("1 0 \(device) / /mnt rw - \(type) \(source) rw") == [])
    }

    @Test(arguments: [
        ("8:1", "ext4", "/dev/sda1", "/mnt"), ("0:50", "btrfs", "/dev/sda2", "/mnt"), ("0:51", "zfs", "pool/a", "/mnt"),
        ("253:0", "xfs", "/dev/mapper/vg-root", "/mnt"), ("0:52", "overlay", "overlay", "/"),
        ("8:1", "fuseblk", "/dev/sdb1", "/mnt"),
    ])
    func `Disks of this machine are kept`(device: String, type: String, source: String, mountPoint: String) {
        #expect(disks("1 0 \(device) / \(mountPoint) rw - \(type) \(source) rw") == [[mountPoint]])
    }

    @Test func `Mounts of one device are one disk, with whole mounts and short paths first`() {
        let disks = disks(
            "1 0 8:1 /a /x rw - ext4 /dev/sda1 rw", "2 0 8:1 / /long/path rw - ext4 /dev/sda1 rw",
            "3 0 8:1 / /path rw - ext4 /dev/sda1 rw", "4 0 8:1 / /hath rw - ext4 /dev/sda1 rw",
            "5 0 8:2 / /data rw - ext4 /dev/sda2 rw")
        #expect(disks == [["/data"], ["/hath", "/path", "/long/path", "/x"]])
    }

    @Test func `A later mount hides an earlier one at the same mount point`() {
        let hidden = "1 0 8:1 / /mnt rw - ext4 /dev/sda1 rw"
        #expect(disks(hidden, "2 0 8:2 / /mnt rw - ext4 /dev/sda2 rw") == [["/mnt"]])
        #expect(disks(hidden, "2 0 0:9 / /mnt rw - tmpfs tmpfs rw") == [])
    }
}
