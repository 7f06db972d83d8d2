import CBOR
import Messaging
import SceneContent

@testable import Bus

/// What those who watch a scene and type into it ask and are told.
extension Vectors {
    /// A scene with a block of most types, and numbers with what they count.
    private static let shown = SceneLayers([shop(isLater: false)])

    /// The same a moment later: a text and a row are gone, a point has taken the place of the first one, and a sheet is over
    /// it.
    private static let shownLater = SceneLayers([
        shop(isLater: true),
        ContentLayer(
            key: "sheet.1 Thanks", title: "Thanks",
            blocks: [("action.dismiss", ActionBlock(name: "dismiss", label: "Close").node)]),
    ])

    private static func shop(isLater: Bool) -> ContentLayer {
        let dishes = [
            TableBlock.Row(key: "1", cells: ["Tea", .number(isLater ? 3 : 2.5)], action: "dish:1"),
            TableBlock.Row(key: "2", cells: ["Cake", .number(4)], action: "dish:2"),
        ]
        let orders = [ChartBlock.Point(60, 3), ChartBlock.Point(120, 5), ChartBlock.Point(180, 4)]
        let series = ChartBlock.Series(
            key: "orders", label: "Orders", points: Array(isLater ? orders.suffix(2) : orders.prefix(2)))
        let blocks: [(key: String, node: ContentNode)] = [
            ("text.0", TextBlock("Choose.", level: .note).node),
            (
                "facts.0",
                FactsBlock([.init(key: "Open since", label: "Open since", value: .time(1_764_376_200))]).node
            ),
            (
                "meter.0",
                MeterBlock(
                    "Tables taken", share: isLater ? 0.75 : 0.5, high: 0.9, detail: isLater ? "6 of 8" : "4 of 8"
                ).node
            ),
            (
                "table.0",
                TableBlock(
                    [.init("Dish"), .init("Price", isTrailing: true)], rows: Array(dishes.prefix(isLater ? 1 : 2))
                )
                .node
            ),
            ("chart.0", ChartBlock("Orders", series: [series]).node),
            ("field.note", FieldBlock(name: "note", label: "Note", value: "warm").node),
            ("action.order", ActionBlock(name: "order", label: "Order", style: .main).node),
        ]
        return ContentLayer(key: "screen shop", title: "Shop", blocks: Array(blocks.dropFirst(isLater ? 1 : 0)))
    }

    /// A GIF of one pixel.
    private static let pixel: [UInt8] = [
        0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x01, 0x00, 0x01, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF,
        0xFF, 0x21, 0xF9, 0x04, 0x01, 0x00, 0x00, 0x00, 0x00, 0x2C, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00,
        0x00, 0x02, 0x01, 0x4C, 0x00, 0x3B,
    ]

    static func watching() throws -> [Vector] {
        let first = SceneRevision(token: 12, number: 1)
        let whole = SceneUpdate(revision: first, content: shown)
        let changed = SceneUpdate(
            revision: SceneRevision(token: 12, number: 2), difference: shownLater.difference(from: shown))
        return try scene(first, whole: whole, changed: changed) + host(first, whole: whole, changed: changed)
    }

    /// Between the host and the scene's worker.
    private static func scene(
        _ first: SceneRevision, whole: SceneUpdate, changed: SceneUpdate
    ) throws -> [Vector] {
        func ask(known: UInt64?, id: UInt64) throws -> [UInt8] {
            try message(SceneMessagesList.sceneWatch(session: "k3m9xw2p", known: known)) {
                $0.id = id
                $0.deadline = 45_000_000
                $0.token = 12
                $0.session = "k3m9xw2p"
                $0.sender = "Host"
            }
        }
        return [
            ("scene watch", try ask(known: nil, id: 28)),
            ("reply to scene watch", try reply(id: 28, "sceneWatch", whole)),
            ("scene watch from a picture", try ask(known: first.number, id: 29)),
            ("reply to scene watch with a difference", try reply(id: 29, "sceneWatch", changed)),
            ("reply to scene watch without a change", try reply(id: 29, "sceneWatch", SceneUpdate(revision: first))),
            (
                "scene image",
                try message(SceneMessagesList.sceneImage(session: "k3m9xw2p", hash: ImageData(pixel).hash)) {
                    $0.id = 31
                    $0.deadline = 6_000_000
                    $0.token = 12
                    $0.session = "k3m9xw2p"
                    $0.sender = "Host"
                    $0.delivery = .idempotent
                }
            ),
            ("reply to scene image", try reply(id: 31, "sceneImage", CBORBytes(pixel))),
            (
                "scene fill",
                try message(
                    SceneMessagesList.sceneFill(session: "k3m9xw2p", layer: "screen shop", fields: ["note": "ho"])
                ) {
                    $0.id = 32
                    $0.deadline = 6_000_000
                    $0.token = 12
                    $0.session = "k3m9xw2p"
                    $0.sender = "Host"
                }
            ),
        ]
    }

    /// Between a watcher and the host.
    private static func host(
        _ first: SceneRevision, whole: SceneUpdate, changed: SceneUpdate
    ) throws -> [Vector] {
        func ask(
            known: SceneRevision?, _ state: SessionState?, watchers: SceneWatchers? = nil, company: UInt64? = nil,
            id: UInt64
        ) throws -> [UInt8] {
            let watch = HostMessagesList.hostSceneWatch(
                session: "k3m9xw2p", known: known, state: state, problem: nil, watchers: watchers, company: company)
            return try message(watch) {
                $0.id = id
                $0.deadline = 45_000_000
            }
        }
        func tell(
            _ update: SceneUpdate?, _ state: SessionState = .running, problem: String? = nil,
            company: SceneCompany? = nil, id: UInt64
        ) throws -> [UInt8] {
            let news = SceneNews(
                update: update, state: state, problem: problem, since: 1_764_376_230.5, company: company)
            return try reply(id: id, "hostSceneWatch", news)
        }
        let here = SceneWatchers([SceneWatcher(surface: "browser", name: "Ada"), SceneWatcher(surface: "browser")])
        let others = SceneWatchers([SceneWatcher(surface: "terminal", name: "desk")], more: 3)
        return [
            ("host scene watch", try ask(known: nil, nil, id: 52)),
            ("reply to host scene watch without a picture", try tell(nil, .connecting, id: 52)),
            ("reply to host scene watch", try tell(whole, id: 52)),
            ("host scene watch from a picture", try ask(known: first, .running, id: 53)),
            ("reply to host scene watch with a difference", try tell(changed, id: 53)),
            (
                "reply to host scene watch of a scene that does not run",
                try tell(SceneUpdate(revision: first), .waiting, problem: "no worker has room", id: 53)
            ),
            (
                "host scene image",
                try message(HostMessagesList.hostSceneImage(session: "k3m9xw2p", hash: ImageData(pixel).hash)) {
                    $0.id = 54
                    $0.deadline = 6_000_000
                }
            ),
            ("reply to host scene image", try reply(id: 54, "hostSceneImage", CBORBytes(pixel))),
            ("host scene watch for others to see", try ask(known: first, .running, watchers: here, company: 8, id: 54)),
            (
                "reply to host scene watch with others",
                try tell(SceneUpdate(revision: first), company: SceneCompany(number: 9, watchers: others), id: 54)
            ),
            (
                "host scene picture",
                try message(HostMessagesList.hostScenePicture(session: "k3m9xw2p")) {
                    $0.id = 55
                    $0.deadline = 6_000_000
                }
            ),
            ("reply to host scene picture", try reply(id: 55, "hostScenePicture", shown)),
            (
                "host scene fill",
                try message(
                    HostMessagesList.hostSceneFill(session: "k3m9xw2p", layer: "screen shop", fields: ["note": "ho"])
                ) {
                    $0.id = 56
                    $0.deadline = 6_000_000
                }
            ),
        ]
    }
}
