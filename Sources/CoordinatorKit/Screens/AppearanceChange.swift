public import Messaging

/// In which order the controllers that leave the screen and those that enter it are told.
///
/// The orders are UIKit's, which has one for each kind of transition.
enum AppearanceOrder {
    /// Each tells of its will, then each of its did; the leaving one first: push, pop, children.
    case navigation
    /// As `navigation`, but the entering one will appear first.
    case tab
    /// As `navigation`, but the entering one did appear first: present, dismiss.
    case modal
    /// The leaving one is gone before the entering one will appear.
    case root
}

/// A change of the controllers that are on the screen. In each list a container stands before its children.
@MainActor
struct AppearanceChange {
    let leaving: [ViewController]
    let entering: [ViewController]

    /// - Parameters:
    ///   - rearrange: moves the views; called when everybody who leaves has been told that it will.
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

    private func willAppear() { for controller in entering { controller.viewWillAppear() } }
    private func didAppear() { for controller in entering { controller.viewDidAppear() } }
    private func willDisappear() { for controller in leaving { controller.viewWillDisappear() } }
    private func didDisappear() { for controller in leaving { controller.viewDidDisappear() } }
}

/// What belongs to one change of a window's hierarchy, besides the change itself.
@MainActor
struct HierarchyChange {
    var order: AppearanceOrder
    /// Takes the views of what has left out of the hierarchy.
    var rearrange: () -> Void = {}
    /// Runs when the controllers have been told.
    var completion: () -> Void = {}
}
