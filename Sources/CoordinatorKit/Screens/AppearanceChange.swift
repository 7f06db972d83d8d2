import Messaging

/// The order in which the controllers that leave the screen and those that enter it are notified.
///
/// The orders are the same as in UIKit, which has one for each kind of transition.
enum AppearanceOrder {
    /// First all "will" calls, then all "did" calls, each time with the leaving controllers first: for push, pop and
    /// changes of children.
    case navigation
    /// Like `navigation`, but `viewWillAppear()` precedes `viewWillDisappear()`: for selecting a tab.
    case tab
    /// Like `navigation`, but `viewDidAppear()` precedes `viewDidDisappear()`: for presenting and dismissing.
    case modal
    /// The leaving controllers have disappeared before the entering ones get `viewWillAppear()`: for another root.
    case root
}

/// A change of the controllers that are on the screen. In each list, a container precedes its children.
@MainActor
struct AppearanceChange {
    let leaving: [ViewController]
    let entering: [ViewController]

    /// Notifies the controllers and rearranges the views.
    /// - Parameters:
    ///   - order: The order of the calls.
    ///   - rearrange: Moves the views. It is called when all leaving controllers have received `viewWillDisappear()`.
    func run(order: AppearanceOrder, rearrange: () -> Void) {
        switch order {
        case .navigation:
            willDisappear()
            willAppear()
            rearrange()
            didDisappear()
            didAppear()
        case .tab:
            willAppear()
            willDisappear()
            rearrange()
            didDisappear()
            didAppear()
        case .modal:
            willDisappear()
            willAppear()
            rearrange()
            didAppear()
            didDisappear()
        case .root:
            willDisappear()
            rearrange()
            didDisappear()
            willAppear()
            didAppear()
        }
    }

    private func willAppear() { for controller in entering { controller.viewWillAppear(false) } }
    private func didAppear() { for controller in entering { controller.viewDidAppear(false) } }
    private func willDisappear() { for controller in leaving { controller.viewWillDisappear(false) } }
    private func didDisappear() { for controller in leaving { controller.viewDidDisappear(false) } }
}

/// The parts of a change of a window's hierarchy, besides the change itself.
@MainActor
struct HierarchyChange {
    var order: AppearanceOrder
    /// Removes the views of the controllers that have left the hierarchy.
    var rearrange: () -> Void = {}
    /// Runs when the controllers have been notified.
    var completion: () -> Void = {}
}
