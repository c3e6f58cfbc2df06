// The same operations with GNUstep's key-value observing, named as the loops of the benchmark program.
#import <Foundation/Foundation.h>

#include <malloc.h>
#include <time.h>

@interface Model : NSObject {
    int _number;
    NSString *_text;
    Model *_next;
    NSMutableArray *_items;
}
@property(nonatomic) int number;
@property(nonatomic, copy) NSString *text;
@property(nonatomic, retain) Model *next;
@property(nonatomic, retain) NSMutableArray *items;
@end

@implementation Model
@synthesize number = _number, text = _text, next = _next, items = _items;
// With these the array is changed where it is; without them it would be copied.
- (void)insertObject:(id)element inItemsAtIndex:(NSUInteger)index { [_items insertObject:element atIndex:index]; }
- (void)removeObjectFromItemsAtIndex:(NSUInteger)index { [_items removeObjectAtIndex:index]; }
- (void)dealloc {
    [_text release];
    [_next release];
    [_items release];
    [super dealloc];
}
@end

// What observers were told: how often, and the sum of the new numbers.
static long deliveries;
static long news;

@interface Watcher : NSObject
@end

@implementation Watcher
- (void)observeValueForKeyPath:(NSString *)path ofObject:(id)object change:(NSDictionary *)change
                       context:(void *)context {
    id new = [change objectForKey:NSKeyValueChangeNewKey];
    deliveries++;
    if ([new isKindOfClass:[NSNumber class]]) news += [new intValue];
}
@end

enum { rounds = 15, bothValues = NSKeyValueObservingOptionOld | NSKeyValueObservingOptionNew };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static int ascending(const void *first, const void *second) {
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

static void expect(BOOL isRight, NSString *name) {
    if (isRight) return;
    fprintf(stderr, "%s went wrong: %ld deliveries, new values add up to %ld\n", [name UTF8String], deliveries, news);
    exit(1);
}

// Times the operation, which is given 1, 2, 3 and so on, and demands so many deliveries of each.
static void measure(NSString *name, int count, int perOperation, BOOL tellsNumber, void (*operation)(void *, int),
                    void *object) {
    double times[rounds];
    for (int round = 0; round < rounds; round++) {
        NSAutoreleasePool *pool = [NSAutoreleasePool new];
        deliveries = news = 0;
        double begin = now();
        for (int step = 1; step <= count; step++) operation(object, step);
        times[round] = (now() - begin) / count;
        expect(deliveries == (long)perOperation * count, name);
        if (tellsNumber) expect(news == (long)perOperation * count * (count + 1) / 2, name);
        [pool release];
    }
    qsort(times, rounds, sizeof(double), ascending);
    printf("%-30s %10.1f %10.1f ns\n", [name UTF8String], times[0], times[rounds / 2]);
}

static void setNumber(void *object, int value) { [(Model *)object setNumber:value]; }

static void setNext(void *pair, int step) {
    id *objects = pair;
    [objects[0] setNext:objects[1 + step % 2]];
}

static void append(void *view, int step) { [(NSMutableArray *)view addObject:[NSNull null]]; }

static void registerAndRemove(void *pair, int step) {
    id *objects = pair;
    [objects[0] addObserver:objects[1] forKeyPath:@"number" options:bothValues context:NULL];
    [objects[0] removeObserver:objects[1] forKeyPath:@"number"];
}

static void create(void *nothing, int step) { [[Model new] release]; }

static Model *observed(int observers, NSString *path) {
    Model *model = [Model new];
    for (int index = 0; index < observers; index++)
        [model addObserver:[Watcher new] forKeyPath:path options:bothValues context:NULL];
    return model;
}

static void measureSets(void) {
    measure(@"set-0/gnustep", 100000, 0, YES, setNumber, [Model new]);
    measure(@"set-other/gnustep", 100000, 0, YES, setNumber, observed(1, @"text"));
    measure(@"set-1/gnustep", 2000, 1, YES, setNumber, observed(1, @"number"));
    measure(@"set-10/gnustep", 1000, 10, YES, setNumber, observed(10, @"number"));
    measure(@"set-1000/gnustep", 20, 1000, YES, setNumber, observed(1000, @"number"));
    id few[] = {observed(0, nil), [Watcher new]}, many[] = {observed(1000, @"number"), [Watcher new]};
    measure(@"register-0/gnustep", 2000, 0, YES, registerAndRemove, few);
    measure(@"register-1000/gnustep", 500, 0, YES, registerAndRemove, many);
    measure(@"create/gnustep", 100000, 0, YES, create, NULL);
}

static void measurePaths(void) {
    id objects[] = {[Model new], [Model new], [Model new]};
    for (int index = 1; index < 3; index++) [objects[index] setNext:[Model new]];
    [objects[0] setNext:objects[1]];
    [objects[0] addObserver:[Watcher new] forKeyPath:@"next.next.number" options:bothValues context:NULL];
    measure(@"path-leaf/gnustep", 2000, 1, YES, setNumber, [objects[1] next]);
    measure(@"path-middle/gnustep", 1000, 1, NO, setNext, objects);
}

static void measureAppends(int length) {
    Model *model = [Model new];
    NSMutableArray *items = [NSMutableArray array];
    for (int index = 0; index < length; index++) [items addObject:[NSNull null]];
    [model setItems:items];
    [model addObserver:[Watcher new] forKeyPath:@"items" options:bothValues context:NULL];
    measure([NSString stringWithFormat:@"view-append-%d/gnustep", length], 50, 1, NO, append,
            [[model mutableArrayValueForKey:@"items"] retain]);
}

// The bytes in use, of the heap and of large blocks.
static double heap(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void measureHeap(void) {
    enum { count = 1000, further = 9 };
    static Model *models[count];
    Watcher *watcher = [Watcher new], *others[further];
    for (int index = 0; index < further; index++) others[index] = [Watcher new];
    double before = heap();
    for (int index = 0; index < count; index++) models[index] = [Model new];
    printf("%-30s %10.1f bytes\n", "bytes-object/gnustep", (heap() - before) / count);
    before = heap();
    for (int index = 0; index < count; index++)
        [models[index] addObserver:watcher forKeyPath:@"number" options:bothValues context:NULL];
    printf("%-30s %10.1f bytes\n", "bytes-first/gnustep", (heap() - before) / count);
    before = heap();
    for (int round = 0; round < further; round++)
        for (int index = 0; index < count; index++)
            [models[index] addObserver:others[round] forKeyPath:@"number" options:bothValues context:NULL];
    printf("%-30s %10.1f bytes\n", "bytes-further/gnustep", (heap() - before) / count / further);
}

int main(void) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    measureSets();
    measurePaths();
    measureAppends(1000);
    measureAppends(10000);
    measureAppends(100000);
    measureHeap();
    [pool release];
    return 0;
}
