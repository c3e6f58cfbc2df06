// expect: requires that 'Plain' conform to 'KeyValueObservable'
import KeyValueObserving

final class Plain {
    @Observed var x = 0
}

func read(_ plain: Plain) -> Int { plain.x }
