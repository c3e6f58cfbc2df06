// Reading and changing what an observed property stores.

/// How a view reads and changes what an observed property stores.
///
/// Made where the property is declared, these are plain accesses to the object, and not applications of a key path.
@usableFromInline
struct StorageAccess<Object, Value> {
    let read: (Object) -> Value
    let change: (Object, (inout Value) -> Void) -> Void

    @usableFromInline
    init(read: @escaping (Object) -> Value, change: @escaping (Object, (inout Value) -> Void) -> Void) {
        self.read = read
        self.change = change
    }
}
