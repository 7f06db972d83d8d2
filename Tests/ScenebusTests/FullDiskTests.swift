import Foundation
import Glibc
import Testing

extension MachineTests {
    /// A host whose store is on a disk that others have filled, here a small file system of its own.
    @Suite(.timeLimit(.minutes(5)))
    struct FullDiskTests {
        /// Options of `unshare` for a mount that only its process sees.
        private static let options = geteuid() == 0 ? ["-m"] : ["-r", "-m"]

        /// Whether this machine lets us mount a file system.
        private static let canMount: Bool = {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            process.arguments = options + ["sh", "-c", "mount -t tmpfs tmpfs /mnt"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        @Test(
            "A host starts on a disk that was filled after the last one ended, in order or not, and can write",
            .enabled(if: canMount, "needs the right to mount a file system"), arguments: ["TERM", "KILL"])
        func nextStart(signal: String) async throws {
            let disk = "\(installation.folder)/disk"
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
            let script = """
                set -e
                mount -t tmpfs -o size=1m,mode=700 tmpfs \(disk)
                scenebus=\(Installation.executables)/scenebus
                $scenebus host --store \(disk)/store.sqlite & host=$!
                $scenebus wait --timeout 30
                kill -\(signal) $host
                wait $host || true
                dd if=/dev/zero of=\(disk)/filler bs=4096 2> /dev/null || true
                $scenebus host --store \(disk)/store.sqlite & host=$!
                trap 'kill $host; wait $host' EXIT
                $scenebus wait --timeout 30
                $scenebus status --json
                """
            let outcome = try await installation.run("/usr/bin/unshare", Self.options + ["sh", "-c", script])
            #expect(outcome.code == 0, "\(outcome.error)")
            // Also the mark that a host runs could be written.
            let status = outcome.output.split(separator: "\n").drop { !$0.hasPrefix("{") }.joined(separator: "\n")
            #expect(status.contains("\"problems\""), "\(outcome.output)")
            #expect(!status.contains("disk is full"), "\(status)")
        }
    }
}
