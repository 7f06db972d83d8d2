/// A page of a long list, with at most as many items as fit into one reply.
///
/// When items are added or removed between two pages, no other item is skipped or listed twice.
package protocol HostList {
    associatedtype Item
    var items: [Item] { get }
    /// The place after which the next page begins; `nil` when this is the last page.
    var next: String? { get }
}
