#!/usr/bin/env python3
"""Draws what measure.py found: an SVG with both axes logarithmic for each series.

    Benchmarks/Sizes/plot.py sizes.json Documentation/Images
    Benchmarks/Sizes/plot.py sizes.json --markdown        # the same as tables
    Benchmarks/Sizes/plot.py --growth bytes.svg "listsync=.build/growth/LIST.txt"   # of Benchmarks/Bytes/measure.py

A line that is steeper than the grey ones costs more than the work grows.
"""

import json
import math
import sys
from pathlib import Path

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 62, 190, 16, 42
COLORS = "#0072b2 #d55e00 #009e73 #cc79a7 #555555 #e69f00 #56b4e9 #6a3d9a".split()


class Scale:
    """From the logarithm of a number to a place between two ends."""

    def __init__(self, numbers, start, end):
        self.low = math.floor(math.log10(min(numbers)) + 1e-9)
        self.high = math.ceil(math.log10(max(numbers)) - 1e-9)
        self.start, self.end = start, end

    def place(self, number):
        part = (math.log10(number) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def powers(self):
        return [10.0**power for power in range(self.low, self.high + 1)]


def seconds_text(seconds):
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1000:g} ms"


def bytes_text(count):
    return f"{count / 1e6:g} MB" if count >= 1e6 else f"{count / 1e3:g} kB"


def spread(places, gap):
    """The places, moved apart so that labels do not lie upon each other."""
    order = sorted(range(len(places)), key=lambda number: places[number])
    result, last = list(places), -math.inf
    for number in order:
        result[number] = last = max(places[number], last + gap)
    return result


def text(x, y, content, anchor, fill="#333"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{fill}">{content}</text>'


def line(points, style):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" {style}/>'


def drawn(name, works, unit_text=seconds_text):
    sizes = sorted({int(size) for found in works.values() for size in found})
    seconds = [value for found in works.values() for value in found.values()]
    x = Scale(sizes, LEFT, WIDTH - RIGHT)
    y = Scale(seconds, HEIGHT - BOTTOM, TOP)
    parts = []
    for power in x.powers():
        parts.append(line([(x.place(power), TOP), (x.place(power), y.start)], 'stroke="#e5e5e5"'))
        parts.append(text(x.place(power), y.start + 16, f"{power:,.0f}", "middle"))
    for power in y.powers():
        parts.append(line([(LEFT, y.place(power)), (x.end, y.place(power))], 'stroke="#e5e5e5"'))
        parts.append(text(LEFT - 6, y.place(power) + 4, unit_text(power), "end"))
    # What ten times the work costs at ten times the seconds.
    for power in range(y.low - x.high, y.high - x.low + 1):
        ends = [max(x.low, y.low - power), min(x.high, y.high - power)]
        if ends[0] < ends[1]:
            points = [(x.place(10.0**e), y.place(10.0 ** (e + power))) for e in ends]
            parts.append(line(points, 'stroke="#c8c8c8" stroke-dasharray="3 4"'))
    ends = [y.place(found[max(found, key=int)]) for found in works.values()]
    for (work, found), color, label in zip(works.items(), COLORS, spread(ends, 15)):
        points = [(x.place(int(s)), y.place(found[s])) for s in sorted(found, key=int)]
        parts.append(line(points, f'stroke="{color}" stroke-width="2"'))
        radius = 3 if len(points) < 40 else 2
        parts += [
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{radius}" fill="{color}"/>' for a, b in points]
        parts.append(text(points[-1][0] + 9, label + 4, work, "start", color))
    parts.append(text((LEFT + x.end) / 2, HEIGHT - 8, name, "middle"))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{body}\n</svg>\n')


def table(name, works):
    sizes = sorted({int(size) for found in works.values() for size in found})
    rows = [f"| seconds, by {name} | " + " | ".join(f"{size:,}" for size in sizes) + " |"]
    rows.append("|---" * (len(sizes) + 1) + "|")
    for work, found in works.items():
        cells = [f"{found[str(size)]:.3f}" for size in sizes]
        rows.append(f"| {work} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def growth(target, *files):
    """The bytes of a file and of git's pack after each version."""
    works = {}
    for label, path in (file.split("=", 1) for file in files):
        rows = [line.split() for line in Path(path).read_text().splitlines()]
        works[label] = {version: int(store) for version, store, _ in rows}
        works["git gc --aggressive"] = {version: int(pack) for version, _, pack in rows}
    Path(target).write_text(drawn("versions", works, bytes_text))


def main():
    if sys.argv[1] == "--growth":
        return growth(*sys.argv[2:])
    found = json.loads(Path(sys.argv[1]).read_text())["series"]
    for name, works in found.items():
        if sys.argv[2] == "--markdown":
            print(table(name, works))
        else:
            target = Path(sys.argv[2]) / f"seconds-by-{name}.svg"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(drawn(name, works))


if __name__ == "__main__":
    main()
