/// A line of `/proc/self/mountinfo`.
struct Mount: Hashable, Sendable {
    let device: DeviceNumber
    /// The part of the file system that is mounted: `/` except for bind mounts and subvolumes.
    let root: String
    let mountPoint: String
    let fileSystem: String
    let source: String

    /// Nil for a line in another format.
    init?(parsing line: ArraySlice<UInt8>) {
        let fields = ProcText.fields(of: line)
        // There are optional fields between the sixth field and a single dash.
        guard fields.count >= 9, let dash = fields[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
            dash + 2 < fields.count
        else { return nil }
        let numbers = fields[2].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard numbers.count == 2, let device = DeviceNumber(major: numbers[0], minor: numbers[1]) else { return nil }
        self.device = device
        root = Self.unescaped(fields[3])
        mountPoint = Self.unescaped(fields[4])
        fileSystem = Self.unescaped(fields[dash + 1])
        source = Self.unescaped(fields[dash + 2])
    }

    /// The mounts that are disks of this machine, grouped by device. In each group the most informative mount is first,
    /// and the groups are ordered by its mount point. Nil when the file contains no mount.
    ///
    /// Left out are file systems that are not on a disk (`proc`, `tmpfs` …), images that are always full (`squashfs`
    /// …), and file systems of other machines, because asking an unreachable server for its free space can block
    /// forever.
    static func disks(parsing bytes: [UInt8]) -> [[Mount]]? {
        // A later mount hides an earlier one on the same mount point.
        var visible: [String: Mount] = [:]
        for mount in ProcText.completeLines(of: bytes).compactMap(Mount.init(parsing:)) {
            visible[mount.mountPoint] = mount
        }
        guard !visible.isEmpty else { return nil }
        return Dictionary(grouping: visible.values.filter(\.isDisk), by: \.device).values
            .map { $0.sorted { $0.isBetter(than: $1) } }
            .sorted { $0[0].mountPoint < $1[0].mountPoint }
    }

    private var isDisk: Bool {
        switch fileSystem {
        case "squashfs", "iso9660", "udf", "erofs", "cramfs", "romfs", "devtmpfs":
            false
        case "zfs", "bcachefs", "virtiofs":
            true
        case "overlay":
            // The root of a container. Any other overlay shares the disk of its layers.
            mountPoint == "/"
        default:
            // btrfs has its own number instead of the device's.
            device.major != 0 || fileSystem == "btrfs" && source.hasPrefix("/dev/")
        }
    }

    private func isBetter(than other: Mount) -> Bool {
        let wholes = (root == "/", other.root == "/")
        if wholes.0 != wholes.1 { return wholes.0 }
        let lengths = (mountPoint.utf8.count, other.mountPoint.utf8.count)
        return lengths.0 == lengths.1 ? mountPoint < other.mountPoint : lengths.0 < lengths.1
    }

    /// Decodes a field. The kernel writes blanks, line feeds and backslashes as a backslash and three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
