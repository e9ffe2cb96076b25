"""The generated histories of Benchmarks/Store/Fixtures/ShapedHistory.swift, with the same bytes.

So the figures of both benchmarks can be compared. Each shape gives its versions, oldest first, as
the bytes of an NDJSON file.
"""

MASK = (1 << 64) - 1


class SeededRandom:
    """SplitMix64, and the way in which Swift's library makes numbers of a range from it."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound):
        product = self.next() * bound
        if product & MASK < bound:
            least = (MASK + 1 - bound) % bound
            while product & MASK < least:
                product = self.next() * bound
        return product >> 64

    def between(self, low, high):
        return (high - low) * (self.below((1 << 53) + 1) / (1 << 53)) + low

    def word(self):
        return "".join(chr(97 + self.below(26)) for _ in range(8))


def lines(rows):
    return ("\n".join(rows) + "\n").encode()


def nested(count):
    random = SeededRandom(11)
    values = [[random.below(100) for _ in range(4)] for _ in range(1000)]
    for _ in range(count):
        yield lines(
            f'{{"id":"n{number}","a":{{"b":{{"c":{{"d":[{a},{{"e":{{"f":{b}}}}}],'
            f'"g":{{"h":[[{c}],[{d}]]}}}}}}}}}}' for number, (a, b, c, d) in enumerate(values))
        for _ in range(20):
            number, place = random.below(1000), random.below(4)
            values[number][place] = random.below(100)


def strings(count):
    random = SeededRandom(12)
    words = [f"{random.word()}-{number}" for number in range(10_000)]
    for version in range(count):
        part = version // 2 % 3
        yield lines(
            f'"{word}"' for place, word in enumerate(words)
            if version % 2 == 0 or place % 3 == part)


def large_items(count):
    random = SeededRandom(13)
    texts = [" ".join(random.word() for _ in range(440)) for _ in range(100)]
    values = [0] * 100
    for _ in range(count):
        yield lines(
            f'{{"id":"l{number}","text":"{text}","visits":{values[number]}}}'
            for number, text in enumerate(texts))
        for _ in range(20):
            number = random.below(100)
            values[number] = random.below(100_000)


def ranking(count):
    random = SeededRandom(14)
    places = [float(place) for place in range(500)]
    words = [random.word() for _ in range(500)]
    for _ in range(count):
        order = sorted(range(500), key=lambda number: places[number])
        yield lines(f'{{"id":"r{number}","title":"{words[number]}"}}' for number in order)
        for number in range(500):
            places[number] += random.between(-40, 40)


def ten_items(count):
    random = SeededRandom(15)
    values = [0] * 10
    for version in range(count):
        yield lines(f'{{"id":"t{number}","value":{value}}}' for number, value in enumerate(values))
        values[random.below(10)] = version


# The name, the number of versions, the id rule and the maker of each shape. Each version is a
# process of its own here, so there are fewer versions of ten items.
SHAPES = [
    ("1,000 deeply nested items", 200, "id", nested),
    ("10,000 bare strings, two thirds vanish and return", 60, ".", strings),
    ("100 items of 4 kB, one member changes", 200, "id", large_items),
    ("a ranking of 500, in another order each day", 120, "id", ranking),
    ("ten items", 2_000, "id", ten_items),
]
