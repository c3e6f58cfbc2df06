// expect: @Observed works on the properties of classes that conform to KeyValueObservable
import KeyValueObserving

struct Point {
    @Observed var x = 0
}

func read(_ point: Point) -> Int { point.x }
