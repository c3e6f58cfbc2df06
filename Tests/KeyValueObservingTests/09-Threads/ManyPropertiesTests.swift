// A class with far more observed properties than an object has bits for them: 1.6, 2.1 and 3.1.
import KeyValueObserving
import TestSupport
import Testing

@Suite("9 A class with 300 properties")
struct ManyPropertiesTests {
    private let panel = Panel()
    private let log = Log()
    /// Properties that lie far apart; with 64 bits for 300 properties, some share one.
    private let keyPaths: [ReferenceWritableKeyPath<Panel, Int>] = [
        \.p0, \.p1, \.p7, \.p8, \.p31, \.p32, \.p63, \.p64, \.p65, \.p127, \.p128, \.p129, \.p191, \.p192, \.p255,
        \.p256, \.p299,
    ]

    @Test("2.1 3.1 Each observer is called for its own property, and for no other")
    func own() {
        let tokens = keyPaths.enumerated().map { index, keyPath in
            panel.observe(keyPath, options: [.old, .new]) { log.add($1, as: "\(index)") }
        }
        for (index, keyPath) in keyPaths.enumerated() {
            panel[keyPath: keyPath] = index + 1
            #expect(log.take() == ["\(index) 0→\(index + 1)"])
        }
        panel.p100 = 1
        panel.p200 = 1
        #expect(log.take() == [])
        withExtendedLifetime(tokens) {}
    }

    @Test("1.6 The end of one registration leaves those on properties that share its bit")
    func ends() {
        for (first, keyPath) in keyPaths.enumerated() {
            var tokens = keyPaths.enumerated().map { index, keyPath in
                panel.observe(keyPath) { _, _ in log.add("\(index)") }
            }
            tokens.remove(at: first).invalidate()
            for keyPath in keyPaths { panel[keyPath: keyPath] += 1 }
            #expect(log.take() == keyPaths.indices.filter { $0 != first }.map { "\($0)" })
            #expect(!panel.isObserved(keyPath))
        }
        #expect(panel.observationInfo.isEmpty)
    }

    @Test("3.4 Whoever observes a manual property leaves silent what nobody observes: sets of that end no delivery")
    func manual() {
        let silent: [ReferenceWritableKeyPath<Panel, Int>] = [
            \.p56, \.p57, \.p58, \.p59, \.p60, \.p61, \.p62, \.p63, \.p64, \.p65, \.p66, \.p67,
        ]
        let tokens = [
            panel.observe(\.title) { panel, _ in
                for keyPath in silent { panel[keyPath: keyPath] = 1 }
                log.add("first")
            },
            panel.observe(\.title) { _, _ in log.add("second") },
        ]
        panel.changeValue(for: \.title) {}
        #expect(log.take() == ["first", "second"])
        withExtendedLifetime(tokens) {}
    }

    @Test("5.1 10.2 A sum of all that are observed is read once in a transaction that changes each")
    func sum() {
        let token = panel.observe(\.sum, options: [.old, .new]) { log.add($1) }
        withKeyValueTransaction { for keyPath in keyPaths { panel[keyPath: keyPath] = 1 } }
        #expect(log.take() == ["0→\(keyPaths.count)"])
        panel.p299 = 2
        #expect(log.take() == ["\(keyPaths.count)→\(keyPaths.count + 1)"])
        withExtendedLifetime(token) {}
    }
}

private final class Panel: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    var title: String {
        accessValue(for: \.title)
        return ""
    }
    var sum: Int {
        p0 + p1 + p7 + p8 + p31 + p32 + p63 + p64 + p65 + p127 + p128 + p129 + p191 + p192 + p255 + p256 + p299
    }
    @Observed var p0 = 0
    @Observed var p1 = 0
    @Observed var p2 = 0
    @Observed var p3 = 0
    @Observed var p4 = 0
    @Observed var p5 = 0
    @Observed var p6 = 0
    @Observed var p7 = 0
    @Observed var p8 = 0
    @Observed var p9 = 0
    @Observed var p10 = 0
    @Observed var p11 = 0
    @Observed var p12 = 0
    @Observed var p13 = 0
    @Observed var p14 = 0
    @Observed var p15 = 0
    @Observed var p16 = 0
    @Observed var p17 = 0
    @Observed var p18 = 0
    @Observed var p19 = 0
    @Observed var p20 = 0
    @Observed var p21 = 0
    @Observed var p22 = 0
    @Observed var p23 = 0
    @Observed var p24 = 0
    @Observed var p25 = 0
    @Observed var p26 = 0
    @Observed var p27 = 0
    @Observed var p28 = 0
    @Observed var p29 = 0
    @Observed var p30 = 0
    @Observed var p31 = 0
    @Observed var p32 = 0
    @Observed var p33 = 0
    @Observed var p34 = 0
    @Observed var p35 = 0
    @Observed var p36 = 0
    @Observed var p37 = 0
    @Observed var p38 = 0
    @Observed var p39 = 0
    @Observed var p40 = 0
    @Observed var p41 = 0
    @Observed var p42 = 0
    @Observed var p43 = 0
    @Observed var p44 = 0
    @Observed var p45 = 0
    @Observed var p46 = 0
    @Observed var p47 = 0
    @Observed var p48 = 0
    @Observed var p49 = 0
    @Observed var p50 = 0
    @Observed var p51 = 0
    @Observed var p52 = 0
    @Observed var p53 = 0
    @Observed var p54 = 0
    @Observed var p55 = 0
    @Observed var p56 = 0
    @Observed var p57 = 0
    @Observed var p58 = 0
    @Observed var p59 = 0
    @Observed var p60 = 0
    @Observed var p61 = 0
    @Observed var p62 = 0
    @Observed var p63 = 0
    @Observed var p64 = 0
    @Observed var p65 = 0
    @Observed var p66 = 0
    @Observed var p67 = 0
    @Observed var p68 = 0
    @Observed var p69 = 0
    @Observed var p70 = 0
    @Observed var p71 = 0
    @Observed var p72 = 0
    @Observed var p73 = 0
    @Observed var p74 = 0
    @Observed var p75 = 0
    @Observed var p76 = 0
    @Observed var p77 = 0
    @Observed var p78 = 0
    @Observed var p79 = 0
    @Observed var p80 = 0
    @Observed var p81 = 0
    @Observed var p82 = 0
    @Observed var p83 = 0
    @Observed var p84 = 0
    @Observed var p85 = 0
    @Observed var p86 = 0
    @Observed var p87 = 0
    @Observed var p88 = 0
    @Observed var p89 = 0
    @Observed var p90 = 0
    @Observed var p91 = 0
    @Observed var p92 = 0
    @Observed var p93 = 0
    @Observed var p94 = 0
    @Observed var p95 = 0
    @Observed var p96 = 0
    @Observed var p97 = 0
    @Observed var p98 = 0
    @Observed var p99 = 0
    @Observed var p100 = 0
    @Observed var p101 = 0
    @Observed var p102 = 0
    @Observed var p103 = 0
    @Observed var p104 = 0
    @Observed var p105 = 0
    @Observed var p106 = 0
    @Observed var p107 = 0
    @Observed var p108 = 0
    @Observed var p109 = 0
    @Observed var p110 = 0
    @Observed var p111 = 0
    @Observed var p112 = 0
    @Observed var p113 = 0
    @Observed var p114 = 0
    @Observed var p115 = 0
    @Observed var p116 = 0
    @Observed var p117 = 0
    @Observed var p118 = 0
    @Observed var p119 = 0
    @Observed var p120 = 0
    @Observed var p121 = 0
    @Observed var p122 = 0
    @Observed var p123 = 0
    @Observed var p124 = 0
    @Observed var p125 = 0
    @Observed var p126 = 0
    @Observed var p127 = 0
    @Observed var p128 = 0
    @Observed var p129 = 0
    @Observed var p130 = 0
    @Observed var p131 = 0
    @Observed var p132 = 0
    @Observed var p133 = 0
    @Observed var p134 = 0
    @Observed var p135 = 0
    @Observed var p136 = 0
    @Observed var p137 = 0
    @Observed var p138 = 0
    @Observed var p139 = 0
    @Observed var p140 = 0
    @Observed var p141 = 0
    @Observed var p142 = 0
    @Observed var p143 = 0
    @Observed var p144 = 0
    @Observed var p145 = 0
    @Observed var p146 = 0
    @Observed var p147 = 0
    @Observed var p148 = 0
    @Observed var p149 = 0
    @Observed var p150 = 0
    @Observed var p151 = 0
    @Observed var p152 = 0
    @Observed var p153 = 0
    @Observed var p154 = 0
    @Observed var p155 = 0
    @Observed var p156 = 0
    @Observed var p157 = 0
    @Observed var p158 = 0
    @Observed var p159 = 0
    @Observed var p160 = 0
    @Observed var p161 = 0
    @Observed var p162 = 0
    @Observed var p163 = 0
    @Observed var p164 = 0
    @Observed var p165 = 0
    @Observed var p166 = 0
    @Observed var p167 = 0
    @Observed var p168 = 0
    @Observed var p169 = 0
    @Observed var p170 = 0
    @Observed var p171 = 0
    @Observed var p172 = 0
    @Observed var p173 = 0
    @Observed var p174 = 0
    @Observed var p175 = 0
    @Observed var p176 = 0
    @Observed var p177 = 0
    @Observed var p178 = 0
    @Observed var p179 = 0
    @Observed var p180 = 0
    @Observed var p181 = 0
    @Observed var p182 = 0
    @Observed var p183 = 0
    @Observed var p184 = 0
    @Observed var p185 = 0
    @Observed var p186 = 0
    @Observed var p187 = 0
    @Observed var p188 = 0
    @Observed var p189 = 0
    @Observed var p190 = 0
    @Observed var p191 = 0
    @Observed var p192 = 0
    @Observed var p193 = 0
    @Observed var p194 = 0
    @Observed var p195 = 0
    @Observed var p196 = 0
    @Observed var p197 = 0
    @Observed var p198 = 0
    @Observed var p199 = 0
    @Observed var p200 = 0
    @Observed var p201 = 0
    @Observed var p202 = 0
    @Observed var p203 = 0
    @Observed var p204 = 0
    @Observed var p205 = 0
    @Observed var p206 = 0
    @Observed var p207 = 0
    @Observed var p208 = 0
    @Observed var p209 = 0
    @Observed var p210 = 0
    @Observed var p211 = 0
    @Observed var p212 = 0
    @Observed var p213 = 0
    @Observed var p214 = 0
    @Observed var p215 = 0
    @Observed var p216 = 0
    @Observed var p217 = 0
    @Observed var p218 = 0
    @Observed var p219 = 0
    @Observed var p220 = 0
    @Observed var p221 = 0
    @Observed var p222 = 0
    @Observed var p223 = 0
    @Observed var p224 = 0
    @Observed var p225 = 0
    @Observed var p226 = 0
    @Observed var p227 = 0
    @Observed var p228 = 0
    @Observed var p229 = 0
    @Observed var p230 = 0
    @Observed var p231 = 0
    @Observed var p232 = 0
    @Observed var p233 = 0
    @Observed var p234 = 0
    @Observed var p235 = 0
    @Observed var p236 = 0
    @Observed var p237 = 0
    @Observed var p238 = 0
    @Observed var p239 = 0
    @Observed var p240 = 0
    @Observed var p241 = 0
    @Observed var p242 = 0
    @Observed var p243 = 0
    @Observed var p244 = 0
    @Observed var p245 = 0
    @Observed var p246 = 0
    @Observed var p247 = 0
    @Observed var p248 = 0
    @Observed var p249 = 0
    @Observed var p250 = 0
    @Observed var p251 = 0
    @Observed var p252 = 0
    @Observed var p253 = 0
    @Observed var p254 = 0
    @Observed var p255 = 0
    @Observed var p256 = 0
    @Observed var p257 = 0
    @Observed var p258 = 0
    @Observed var p259 = 0
    @Observed var p260 = 0
    @Observed var p261 = 0
    @Observed var p262 = 0
    @Observed var p263 = 0
    @Observed var p264 = 0
    @Observed var p265 = 0
    @Observed var p266 = 0
    @Observed var p267 = 0
    @Observed var p268 = 0
    @Observed var p269 = 0
    @Observed var p270 = 0
    @Observed var p271 = 0
    @Observed var p272 = 0
    @Observed var p273 = 0
    @Observed var p274 = 0
    @Observed var p275 = 0
    @Observed var p276 = 0
    @Observed var p277 = 0
    @Observed var p278 = 0
    @Observed var p279 = 0
    @Observed var p280 = 0
    @Observed var p281 = 0
    @Observed var p282 = 0
    @Observed var p283 = 0
    @Observed var p284 = 0
    @Observed var p285 = 0
    @Observed var p286 = 0
    @Observed var p287 = 0
    @Observed var p288 = 0
    @Observed var p289 = 0
    @Observed var p290 = 0
    @Observed var p291 = 0
    @Observed var p292 = 0
    @Observed var p293 = 0
    @Observed var p294 = 0
    @Observed var p295 = 0
    @Observed var p296 = 0
    @Observed var p297 = 0
    @Observed var p298 = 0
    @Observed var p299 = 0
}
