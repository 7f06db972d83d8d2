import CoordinatorKit
import SceneWorker

/// A worker for tests of surfaces. Its scene shows every block, with a screen below, tabs, and a sheet over it, or every block with
/// hostile texts.
@main struct BlocksWorker {
    static func main() {
        SceneWorker.main(
            id: "blocks",
            scenes: [
                SceneConfiguration(name: "Blocks", delegateClass: WindowSceneDelegate<BlocksCoordinator>.self)
            ])
    }
}

enum BlocksPage: Page { case start, blocks, hostile }

final class BlocksCoordinator: SceneCoordinator<BlocksPage> {
    override var initialPage: BlocksPage? { .start }

    override func displayPage(_ page: BlocksPage) {
        switch page {
        case .start: root(StartScreen { [unowned self] in display(page: $0) })
        case .hostile: show(HostileScreen())
        // A restored scene shows the page of the controller, and then that of its tab.
        case .blocks where rootViewController.topViewController is BlocksController: break
        case .blocks: show(BlocksController())
        }
    }
}

/// The screen to which the way back leads.
final class StartScreen: ViewController {
    private let open: @MainActor (BlocksPage) -> Void

    init(open: @escaping @MainActor (BlocksPage) -> Void) {
        self.open = open
        super.init()
    }

    override var screen: Screen? {
        Screen("Start") {
            Action("Open", style: .main) { [self] in open(.blocks) }
            Action("Hostile") { [self] in open(.hostile) }
        }
    }
}

final class BlocksController: TabBarController {
    override init() {
        super.init()
        let (blocks, other) = (BlocksScreen(), OtherScreen())
        // What it keeps is part of the scene's state only with a page.
        blocks.page = BlocksPage.blocks
        blocks.title = "All of them"
        other.title = "Other tab"
        viewControllers = [blocks, other]
    }
}

final class OtherScreen: ViewController {
    override var screen: Screen? { Screen("Another screen") { Text("Nothing else is in this tab.") } }
}

final class SheetScreen: ViewController {
    @Kept var remark = ""

    override var screen: Screen? {
        Screen("A sheet") {
            Field("Remark", $remark)
            Action("Done", style: .main) { [self] in presentingViewController?.dismiss() }
        }
    }
}
