/// An object that is held weakly.
struct WeakReference<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
}
