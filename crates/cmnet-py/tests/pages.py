"""What tests of pages share: a browser, pages in it, and random models with contexts."""

from __future__ import annotations

import itertools
import os
import shutil

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import cmnet

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"]


@pytest.fixture(scope="session")
def chromium():
    path = os.environ.get("CMNET_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("no Chromium: install it (Debian: apt-get install chromium), or name one in CMNET_BROWSER")
    with sync_playwright() as playwright:
        # Root has no sandbox to run in; the pages are our own.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page in the browser, with everything that it asked for and complained about."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path, address=""):
        self.page.goto("about:blank")
        self.page.goto(f"{path.as_uri()}{address}")
        self.page.wait_for_selector("html[data-ready]")
        return self.page

    def marginals(self):
        """Every digit of the distributions that the page shows, by names."""
        found = self.page.evaluate(
            "() => { const { answer, network } = window.cmnet; const { marginals, logEvidence } = answer();"
            " return [network.variables.map((v, k) => [v.name, v.levels, marginals[k] && Array.from(marginals[k])]),"
            " logEvidence]; }"
        )
        return {name: dict(zip(levels, shares)) for name, levels, shares in found[0]}, found[1]


@pytest.fixture
def opened(chromium):
    """Opens pages, and holds them to their promise: nothing fetched, nothing complained about."""
    made: list[Opened] = []

    def opened(**options):
        made.append(Opened(chromium, **options))
        return made[-1]

    yield opened
    for each in made:
        assert [url for url in each.requests if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
        assert each.complaints == []
        each.context.close()


def random_model(seed, variables=None):
    """A model with random edges, contexts and parameters."""
    random = np.random.default_rng(seed)
    count = variables or int(random.integers(4, 9))
    levels = {f"v{k}": [f"l{j}" for j in range(random.integers(2, 4))] for k in range(count)}
    names = list(levels)
    pairs = [pair for pair in itertools.combinations(names, 2) if random.random() < 0.55]
    near = {name: {b if a == name else a for a, b in pairs if name in (a, b)} for name in names}
    contexts = []
    for one, other in pairs:
        given = [name for name in names if name in near[one] & near[other]]
        cells = list(itertools.product(*(levels[name] for name in given)))
        if given and random.random() < 0.7:
            kept = random.choice(len(cells), size=random.integers(1, len(cells)), replace=False)
            contexts.append(((one, other), given, [list(cells[k]) for k in sorted(kept)]))
    rows = {}
    for place, name in enumerate(names):
        drawn = random.integers(0, len(levels[name]), 300)
        for earlier in names[max(0, place - 3) : place]:
            copied = random.random(300) < 0.25
            drawn = np.where(copied, np.minimum(rows[earlier], len(levels[name]) - 1), drawn)
        rows[name] = drawn
    table = {name: [levels[name][k] for k in drawn] for name, drawn in rows.items()}
    return cmnet.Model.from_structure(levels, pairs, contexts).fit(table, schema=levels), random
