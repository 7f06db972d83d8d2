/// The kernel's number of a device. Major 0 is for file systems that are not on a block device.
struct DeviceNumber: Hashable, Sendable {
    let major: UInt32
    let minor: UInt32

    init(major: UInt32, minor: UInt32) {
        self.major = major
        self.minor = minor
    }

    /// Nil unless both parts are 32-bit numbers.
    init?(major: some Sequence<UInt8>, minor: some Sequence<UInt8>) {
        guard let major = ProcText.number(major).flatMap({ UInt32(exactly: $0) }),
            let minor = ProcText.number(minor).flatMap({ UInt32(exactly: $0) })
        else { return nil }
        self.init(major: major, minor: minor)
    }
}
