import OperatorKit
import ArgumentParser
import BenchMessages
import Bus
import Messaging
import Foundation
import PeerLink

@main
struct ScenebusBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenebus bench",
        abstract: "Measures this build and raw libzmq in C in the same run.",
        discussion: """
            The modes rtt, pipeline, request, entry, fanout, scene, connect and footprint measure SceneBus and libzmq \
            alternately in several rounds, in separate processes, and print the medians: a line RESULT for SceneBus, a \
            line FLOOR for libzmq and a line RATIO. Compare the ratios, because the absolute figures vary with the load \
            of the machine. The other modes measure SceneBus alone, without a FLOOR. Build with -c release first.

            EXAMPLES:
              scenebus bench rtt --transport ipc
              scenebus bench fanout --subs 1000 --procs 2
              scenebus bench scene --watchers 1000 --clients 10
              scenebus bench chain --depth 64
              scenebus bench instructions
              scenebus bench scale --most 100
              scenebus bench all --markdown
            """,
        subcommands: [
            RoundTrip.self, Pipeline.self, RequestMode.self, EntryMode.self, FanOut.self, SceneMode.self, Connect.self,
            Footprint.self, Chain.self, BatchMode.self, TapMode.self, OverloadMode.self, ConformancesMode.self,
            StrangersMode.self, InstructionsCommand.self, ScaleCommand.self, AllCommand.self,
            BenchHostCommand.self, BenchMonitorCommand.self, BenchWatchersCommand.self,
        ])

    static func main() {
        signal(SIGPIPE, SIG_DFL)
        #if DEBUG
            // The host, the monitor and the watchers are started by a mode that has said so already.
            if let mode = CommandLine.arguments.dropFirst().first, !["host", "monitor", "watchers"].contains(mode) {
                StandardError.write(
                    "scenebus bench: this build is not optimized, so its figures say little; build with -c release")
            }
        #endif
        runAsProcess("scenebus bench")
    }
}
