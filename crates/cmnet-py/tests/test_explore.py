"""The page of `cmnet explore`, in a real browser."""

import itertools
import math
import subprocess
import urllib.parse
import xml.etree.ElementTree as tree

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import table_path
from pages import chromium, opened, random_model  # noqa: F401
from playwright.sync_api import expect

import cmnet

LEVEL = '#picture .node[data-variable="{}"] .level[data-level="{}"]'
LIPOPROTEIN, HIGH = 4, 1
SENTENCE = "smoking and systolic_blood_pressure are independent now, because lipoprotein_ratio is >=3."


@pytest.fixture(scope="module")
def heart_page(heart_model, tmp_path_factory, command):
    folder = tmp_path_factory.mktemp("heart")
    heart_model.save(folder / "heart.model.json")
    page = folder / "heart.html"
    words = ["explore", folder / "heart.model.json", "-o", page, "--data", table_path("coronary_heart")]
    subprocess.run([command, *map(str, words)], check=True, capture_output=True)
    return page


def written(names_and_levels):
    quote = urllib.parse.quote
    return "#" + "&".join(f"given={quote(name, safe='')}={quote(level, safe='')}" for name, level in names_and_levels)


def test_evidence_by_click_keyboard_and_typing(heart_page, heart_model, opened):
    browser = opened()
    page = browser.open(heart_page)
    expect(page.locator("#cuts li")).to_have_count(0)
    page.locator(LEVEL.format(LIPOPROTEIN, HIGH)).click()
    expect(page.locator("#cuts li")).to_have_text([SENTENCE])
    assert page.locator("#picture .edge.cut").count() == 1
    assert page.locator("#edges tr.cut").count() == 1
    expected = heart_model.query({"lipoprotein_ratio": ">=3"})
    found, log_evidence = browser.marginals()
    assert log_evidence == pytest.approx(expected.log_evidence, abs=1e-9)
    for name, distribution in expected.items():
        assert found[name] == pytest.approx(dict(distribution), abs=1e-9)
    shown = page.locator(LEVEL.format(0, 1)).get_attribute("aria-label")
    assert shown == f"smoking: yes, {100 * expected['smoking']['yes']:.1f} %"
    # The keyboard alone: into the picture, onto a level, and back by the same key.
    page.keyboard.press("Control+z")
    expect(page.locator("#cuts li")).to_have_count(0)
    page.locator(LEVEL.format(LIPOPROTEIN, HIGH)).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#cuts li")).to_have_text([SENTENCE])
    page.keyboard.press("Space")
    expect(page.locator("#cuts li")).to_have_count(0)
    page.locator("#entry").fill("Lipoprotein_Ratio = >=3")
    page.keyboard.press("Enter")
    expect(page.locator("#cuts li")).to_have_text([SENTENCE])
    page.locator("#entry").fill("lipoprotein_ratio = 7")
    page.keyboard.press("Enter")
    expect(page.locator("#entry-problem")).to_have_text("The variable has no such level.")
    # And the table beside the picture, which has the same facts.
    page.locator('#variables tr[data-variable="0"] button').nth(1).click()
    assert page.locator("#chips li").count() == 2
    expect(page.locator("#evidence-probability")).to_contain_text("Probability of this evidence: ")
    assert page.locator("#command").inner_text().endswith("--given 'lipoprotein_ratio=>=3' --given smoking=yes")


def test_undo_redo_clear_and_history(heart_page, opened):
    page = opened().open(heart_page)
    expect(page.locator("#undo")).to_be_disabled()
    for v, level in [(0, 1), (1, 0), (1, 1)]:
        page.locator(LEVEL.format(v, level)).click()
    assert page.locator("#chips li").all_inner_texts() == ["smoking = yes ×", "strenuous_mental_work = yes ×"]
    page.locator("#undo").click()
    assert page.locator("#chips li").all_inner_texts() == ["smoking = yes ×", "strenuous_mental_work = no ×"]
    page.locator("#undo").click()
    page.locator("#redo").click()
    assert page.locator("#chips li").count() == 2
    page.locator("#clear").click()
    assert page.locator("#chips li").count() == 0
    page.locator("#undo").click()
    assert page.locator("#chips li").count() == 2


def test_the_address_carries_the_state(heart_page, opened):
    browser = opened()
    page = browser.open(heart_page)
    page.locator(LEVEL.format(LIPOPROTEIN, HIGH)).click()
    page.locator("#target").select_option(label="smoking")
    page.locator("#complete").click()
    address = page.evaluate("location.hash")
    assert address.startswith(written([("lipoprotein_ratio", ">=3")]))
    again = opened().open(heart_page, address)
    expect(again.locator("#cuts li")).to_have_text([SENTENCE])
    assert again.locator("#target").input_value() == "0"
    assert again.locator("#completion li").count() == 5
    # What an address does not know is left out; a broken one breaks nothing.
    other = opened().open(heart_page, "#given=none=no&given=smoking=perhaps&given=%E0%A4%A&target=x&show.99=1")
    assert other.locator("#chips li").count() == 0


def test_completion_and_target(heart_page, heart_model, opened):
    page = opened().open(heart_page, written([("strenuous_physical_work", "no")]))
    page.locator("#complete").click()
    best = heart_model.map({"strenuous_physical_work": "no"})
    assert page.locator("#completion li").all_inner_texts() == [f"{n} = {level}" for n, level in best.items()]
    told = page.locator("#completion-probability").inner_text()
    assert told == f"Probability given the evidence: {100 * math.exp(best.log_probability):.1f} %"
    page.locator("#picture .node[data-variable='3'] .head").click()
    now = heart_model.query({"strenuous_physical_work": "no"})["systolic_blood_pressure"]
    best = max(
        (
            abs(heart_model.query({"strenuous_physical_work": "no", name: level}, "systolic_blood_pressure")[
                "systolic_blood_pressure"][label] - now[label]),
            name,
            level,
        )
        for name, levels in heart_model.levels.items()
        if name not in ("strenuous_physical_work", "systolic_blood_pressure")
        for level in levels
        for label in now
    )
    first = page.locator("#influences button").first
    assert first.inner_text().startswith(f"{best[1]} = {best[2]}")
    first.click()
    assert page.locator("#chips li").count() == 2


def test_light_dark_and_print(heart_page, opened):
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = opened().open(heart_page), opened(color_scheme="dark").open(heart_page)
    assert light.evaluate(ground) == "rgb(245, 246, 248)" and dark.evaluate(ground) == "rgb(16, 20, 26)"
    dark.locator("#theme").click()
    assert dark.evaluate(ground) == "rgb(245, 246, 248)"
    light.locator("#theme").click()
    assert light.evaluate(ground) == "rgb(16, 20, 26)"
    light.emulate_media(media="print")
    assert light.evaluate(ground) == "rgb(255, 255, 255)"
    assert not light.locator("#entry").is_visible() and light.locator("#variables").is_visible()
    assert len(light.pdf()) > 10_000


def test_the_picture_is_saved(heart_page, opened, tmp_path):
    page = opened(accept_downloads=True).open(heart_page, written([("lipoprotein_ratio", ">=3")]))
    with page.expect_download() as waiting:
        page.locator("#save-svg").click()
    waiting.value.save_as(tmp_path / "heart.svg")
    assert waiting.value.suggested_filename == "heart.svg"
    text = (tmp_path / "heart.svg").read_text(encoding="utf-8")
    root = tree.fromstring(text)
    assert root.tag.endswith("svg") and "systolic" in text and "class=" not in text and "var(" not in text
    # What only catches the pointer is not in the picture, and the cut edge is.
    assert len(text) < 20_000 and text.count("<path") == 6 + 3 + 12
    with page.expect_download() as waiting:
        page.locator("#save-png").click()
    waiting.value.save_as(tmp_path / "heart.png")
    bytes_ = (tmp_path / "heart.png").read_bytes()
    assert bytes_.startswith(b"\x89PNG") and len(bytes_) > 20_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing(heart_page, opened, scheme, width):
    page = opened(color_scheme=scheme, viewport={"width": width, "height": 900}).open(
        heart_page, written([("lipoprotein_ratio", ">=3")]) + "&target=smoking&completion=yes"
    )
    # Colours have to be at rest before they are measured.
    page.wait_for_timeout(500)
    found = Axe().run(page)
    assert found.response["violations"] == [], found.generate_report()
    # Nothing wider than the screen, nothing cut off.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = page.locator("#picture .node").evaluate_all(
        "nodes => nodes.map(node => { const { left, top, right, bottom } = node.getBoundingClientRect();"
        " return [left, top, right, bottom]; })"
    )
    stage = page.locator("#picture").bounding_box()
    for one, other in itertools.combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    for left, top, right, bottom in boxes:
        assert left >= stage["x"] and right <= stage["x"] + stage["width"]
        assert top >= stage["y"] and bottom <= stage["y"] + stage["height"]


@pytest.mark.parametrize("part", range(5))
def test_answers_are_those_of_the_command(part, opened, run, tmp_path):
    browser = opened()
    cuts = 0
    for seed in range(10 * part, 10 * part + 10):
        model, random = random_model(seed)
        path, page = tmp_path / f"{seed}.model.json", tmp_path / f"{seed}.html"
        model.save(path)
        model.explore(page)
        for pieces in (random.integers(0, 2), random.integers(1, len(model.names) - 1)):
            chosen = random.choice(model.names, size=pieces, replace=False)
            given = [(str(name), str(random.choice(model.levels[name]))) for name in chosen]
            words = [word for name, level in given for word in ("--given", f"{name}={level}")]
            expected = run("query", path, *words, "--quiet")
            browser.open(page, written(given))
            found, log_evidence = browser.marginals()
            for name, distribution in expected["marginals"].items():
                assert found[name] == pytest.approx(distribution, abs=1e-9)
            assert log_evidence == pytest.approx(expected["log_evidence"] or 0, abs=1e-9)
            explained = run("explain", path, *words, "--quiet")
            edges, cut, strengths = browser.page.evaluate(
                "() => { const { network, state, answer, strength } = window.cmnet;"
                " const name = (v) => network.variables[v].name; const { propagation } = answer();"
                " const { cut, left, neighbours } = network.remaining(state.given);"
                " const ends = network.edges.map(({ ends }) => ends.map(name));"
                " return [ends, cut.map((k) => ends[k]), left.map((k) => [ends[k],"
                " strength(network.tree, propagation, network.edges[k].ends, neighbours)])]; }"
            )
            assert cut == explained["cut_edges"]
            cuts += len(cut)
            known = {tuple(each["edge"]): each for each in explained["edges"]}
            assert len(strengths) == len(known)
            for ends, each in strengths:
                if each["givenAll"]:
                    assert each["nats"] == pytest.approx(known[tuple(ends)]["information"], abs=1e-9)
            best = run("query", path, *words, "--map", "--quiet")
            browser.page.locator("#complete").click()
            shown = dict(item.split(" = ") for item in browser.page.locator("#completion li").all_inner_texts())
            assert shown == best["map"]
    assert cuts > 0


def test_hostile_names(opened, tmp_path):
    names = [
        "</script><script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "{{script}}",
        "a=b&given=c",
        "\u202eevil\u0001 x",
        "日本 ''\"",
    ]
    levels = {name: ["<b>no</b>", "y\u2028es=&#'"] for name in names}
    pairs = list(itertools.combinations(names[:4], 2))
    contexts = [((names[0], names[1]), names[2:4], [[levels[names[2]][1], levels[names[3]][0]]])]
    rows = {name: [levels[name][(k * (place + 3)) % 7 % 2] for k in range(60)] for place, name in enumerate(names)}
    model = cmnet.Model.from_structure(levels, pairs, contexts).fit(rows, schema=levels)
    model.explore(tmp_path / "<b>page.html")
    browser = opened()
    page = browser.open(tmp_path / "<b>page.html")
    assert page.locator("script").count() == 2 and page.locator("img, b").count() == 0
    given = [(names[2], levels[names[2]][1]), (names[3], levels[names[3]][0])]
    for k, (name, level) in enumerate(given):
        page.locator(LEVEL.format(2 + k, levels[name].index(level))).click()
    assert page.locator("#cuts li").count() == 1
    address = page.evaluate("location.hash")
    browser.open(tmp_path / "<b>page.html", address)
    found, _ = browser.marginals()
    for name, distribution in model.query(dict(given)).items():
        assert found[name] == pytest.approx(dict(distribution), abs=1e-9)


def strip(count):
    """Binary variables on a strip of triangles."""
    names = [f"gene_{k}" for k in range(count)]
    pairs = [(names[k], names[k + step]) for step in (1, 2) for k in range(count - step)]
    return {name: ["low", "high"] for name in names}, pairs


@pytest.mark.parametrize("variables", [300, 1000])
def test_many_variables(opened, tmp_path, variables):
    levels, pairs = strip(variables)
    random = np.random.default_rng(3)
    drawn = random.integers(0, 2, (400, variables))
    drawn[:, 1:] = np.where(random.random((400, variables - 1)) < 0.6, drawn[:, :-1], drawn[:, 1:])
    model = cmnet.Model.from_structure(levels, pairs).fit(
        {name: np.where(drawn[:, k] == 1, "high", "low") for k, name in enumerate(levels)}, schema=levels
    )
    path = tmp_path / "many.html"
    model.explore(path)
    assert path.stat().st_size < 300_000 + 12 * len(model.to_text())
    browser = opened()
    page = browser.open(path)
    # Milliseconds from the first byte to a page that answers.
    assert float(page.locator("html").get_attribute("data-ready")) < 2000
    shown = page.locator("#picture .node").count()
    assert 3 < shown < 30
    # Search, expand, whole graph.
    page.locator("#find").fill("gene_77")
    page.keyboard.press("Enter")
    expect(page.locator("#picture .node[data-variable='77']")).to_be_visible()
    before = page.locator("#picture .node").count()
    page.locator("#picture .more").first.click()
    assert page.locator("#picture .node").count() > before
    page.locator("#find").fill("no such variable")
    page.keyboard.press("Enter")
    expect(page.locator("#find-problem")).to_have_text("No variable has this name.")
    assert page.evaluate("() => { const start = performance.now(); document.getElementById('whole').click();"
                         " return performance.now() - start; }") < 2000
    expect(page.locator("#picture .node")).to_have_count(variables)
    # What can be read gets its bars.
    assert page.locator("#picture .level").count() == 0
    for _ in range(9):
        page.locator("#zoom-in").click()
    expect(page.locator("#picture .level").first).to_be_attached()
    page.locator("#fit").click()
    # Pan and zoom: the time of a frame, over many of them.
    middle = page.evaluate(
        """async () => {
          const svg = document.getElementById("picture");
          const frame = () => new Promise((done) => requestAnimationFrame(done));
          const times = [];
          for (let k = 0; k < 30; k++) {
            const start = performance.now();
            svg.dispatchEvent(new WheelEvent("wheel", { deltaY: k < 15 ? -40 : 40, clientX: 400, clientY: 400 }));
            await frame();
            times.push(performance.now() - start);
          }
          return times.sort((a, b) => a - b)[15];
        }"""
    )
    assert middle < 100, middle


def test_a_model_without_parameters(heart_model, opened, tmp_path):
    bare = cmnet.Model.from_structure(heart_model.levels, heart_model.edges, heart_model.contexts)
    bare.explore(tmp_path / "bare.html")
    page = opened().open(tmp_path / "bare.html")
    expect(page.locator("#notice")).to_contain_text("cmnet fit MODEL DATA -o FITTED")
    page.locator(LEVEL.format(LIPOPROTEIN, HIGH)).click()
    expect(page.locator("#cuts li")).to_have_text([SENTENCE])


def test_a_tree_too_large_for_a_page(opened, tmp_path):
    # A square grid, whose tree has a clique of a whole side and more.
    side = 13
    names = [f"v{k}" for k in range(side * side)]
    levels = {name: ["no", "yes"] for name in names}
    pairs = [(names[k], names[k + 1]) for k in range(side * side - 1) if k % side < side - 1]
    pairs += [(names[k], names[k + side]) for k in range(side * side - side)]
    random = np.random.default_rng(1)
    rows = (random.random((400, side * side)) < 0.3) ^ (random.random((400, 1)) < 0.5)
    table = {name: np.where(rows[:, k], "yes", "no") for k, name in enumerate(names)}
    model = cmnet.Model.from_structure(levels, pairs).fit(table, method="pseudo")
    model.explore(tmp_path / "large.html")
    browser = opened()
    page = browser.open(tmp_path / "large.html")
    expect(page.locator("#notice")).to_contain_text("Approximate: exact answers need")
    expect(page.locator("#notice")).to_contain_text("16,384 rows drawn by the command from the model (seed 1), for no or one piece of evidence")
    page.locator("#entry").fill("v0 = yes")
    page.keyboard.press("Enter")
    found, log_evidence = browser.marginals()
    expected = model.query({"v0": "yes"}, ["v1", "v2", "v30"])
    assert log_evidence == pytest.approx(expected.log_evidence, abs=0.05)
    for name, distribution in expected.items():
        assert found[name] == pytest.approx(dict(distribution), abs=0.03)
    # A second piece takes the place of the first.
    page.locator("#entry").fill("v1 = yes")
    page.keyboard.press("Enter")
    assert page.locator("#chips li").all_inner_texts() == ["v1 = yes ×"]


def test_a_notebook_shows_the_page_in_a_frame(heart_model, opened, tmp_path):
    (tmp_path / "notebook.html").write_text(f"<!DOCTYPE html><html data-ready><body>{heart_model._repr_html_()}")
    page = opened().open(tmp_path / "notebook.html")
    frame = page.frame_locator("iframe")
    frame.locator(LEVEL.format(LIPOPROTEIN, HIGH)).click()
    expect(frame.locator("#cuts li")).to_have_text([SENTENCE])
    assert page.locator("iframe").get_attribute("sandbox") == "allow-scripts allow-downloads"
    assert len(heart_model._repr_html_()) < 200_000


def test_pages_are_refused(heart_model, tmp_path):
    with pytest.raises(cmnet.OptionError, match="ends in .html"):
        heart_model.explore(tmp_path / "page.svg")
    with pytest.raises(OSError):
        heart_model.explore(tmp_path / "none" / "page.html")


def test_a_report_is_a_page_without_script(opened, command, tmp_path):
    page = tmp_path / "report.html"
    words = ["report", table_path("coronary_heart"), "-o", page, "--folds", "2", "--kappa", "eps,n^-0.5"]
    subprocess.run([command, *map(str, words)], check=True, capture_output=True)
    for width in (1440, 390):
        browser = opened(viewport={"width": width, "height": 900})
        browser.page.goto(page.as_uri())
        found = Axe().run(browser.page)
        assert found.response["violations"] == [], found.generate_report()
        assert browser.page.evaluate("document.documentElement.scrollWidth") <= width
        assert browser.page.locator("figure svg").count() == 4
