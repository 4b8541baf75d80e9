"""Pairs that people judge: the page in a real browser, and what their answers say."""

import gzip
import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from commands import ok, paranmt
from releases import PRIMARY, write_release

from paranmt.base.errors import InputError, RecipeError
from paranmt.models.evaluation.agreement import ordinal_alpha, wilson_interval
from paranmt.pipeline.judging.answers import FORMAT, judged, read_answers
from paranmt.pipeline.judging.judged_pairs import JudgedPair, open_pairs, sample_hash
from paranmt.pipeline.judging.judging_page import judging_page

HOSTILE = "</script><img src=x onerror=alert(1)> <b>&amp; \u2028 {{ 1 }}"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("judged") / "release", rows=900)


def test_as_many_pairs_of_each_decile_are_drawn(release: Path) -> None:
    source = open_pairs(str(release))
    pairs = source.sample(43, 1, None, PRIMARY)
    assert Counter(pair.decile for pair in pairs) == {n: 4 + (n <= 3) for n in range(1, 11)}
    assert pairs == source.sample(43, 1, None, PRIMARY) != source.sample(43, 2, None, PRIMARY)
    assert all(pair.reference and pair.translation for pair in pairs)
    found = source.find([pair.pair_id for pair in pairs], PRIMARY)
    assert sorted(found, key=str) == sorted(pairs, key=str)
    assert sample_hash(found) == sample_hash(pairs)
    chosen = source.sample(50, 1, "corpus = 'web'", None)
    assert len(chosen) == 50 and all(pair.pair_id.startswith("web/") for pair in chosen)
    assert {pair.decile for pair in chosen} == {None}
    with pytest.raises(InputError, match=f"no deciles of 'perplexity'; there are those of .*{PRIMARY}"):
        source.sample(10, 1, None, "perplexity")


def test_a_file_of_pairs(tmp_path: Path) -> None:
    lines = [f"a {number}\tb {number}\t0.5" for number in range(1, 31)]
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    source = open_pairs(str(path))
    pairs = source.sample(10, 1, None, None)
    assert len({pair.pair_id for pair in pairs}) == 10
    assert all(
        (pair.reference, pair.translation) == (f"a {pair.pair_id}", f"b {pair.pair_id}") for pair in pairs
    )
    assert pairs != source.sample(10, 2, None, None)
    assert len(source.sample(100, 1, None, None)) == 30
    with pytest.raises(RecipeError, match="--where and --by are for releases"):
        source.sample(10, 1, None, "perplexity")
    (tmp_path / "one.txt").write_text("a\tb\nonly one\n")
    with pytest.raises(InputError, match="one.txt, line 2: expected two sentences with a tab between"):
        open_pairs(str(tmp_path / "one.txt")).sample(5, 1, None, None)


def answers(folder: Path, sample: str, ratings: dict[int, dict[str, list[int | None]]]) -> list[Path]:
    paths = []
    for judge, given in ratings.items():
        path = folder / f"judge-{judge}.json"
        path.write_text(json.dumps({"format": FORMAT, "sample": sample, "judge": judge, "ratings": given}))
        paths.append(path)
    return paths


def test_what_the_answers_say(release: Path, tmp_path: Path) -> None:
    source = open_pairs(str(release))
    pairs = source.sample(40, 1, None, PRIMARY)
    # The first judge follows the decile, the second is stricter on every other pair, the third judges ten.
    strength = {
        pair.pair_id: [1 + ((pair.decile or 0) > 4), 2 if number % 2 else 1, 3 if number < 10 else None]
        for number, pair in enumerate(pairs)
    }
    given = {
        judge: {pair_id: [rated[judge - 1], 3] for pair_id, rated in strength.items()} for judge in (1, 2, 3)
    }
    given[1][pairs[0].pair_id] = given[2][pairs[0].pair_id] = given[3][pairs[0].pair_id] = [None, None]
    paths = answers(tmp_path, sample_hash(pairs), given)
    tables = judged(source, read_answers(paths), PRIMARY)
    rated = {pair: strength[pair.pair_id] for pair in pairs[1:]}
    medians = {pair: sorted(r for r in of if r)[(sum(map(bool, of)) - 1) // 2] for pair, of in rated.items()}
    for row in tables["strength"].rows:
        own = [median for pair, median in medians.items() if str(pair.decile) == row.values["decile"]]
        assert row.values["pairs"] == len(own)
        assert row.values["mean"] == pytest.approx(sum(own) / len(own))
        for rating in (1, 2, 3):
            part = own.count(rating)
            low, high = wilson_interval(part, len(own))
            assert row.values[f"share_{rating}"] == pytest.approx(100 * part / len(own))
            assert row.values[f"low_{rating}"] == pytest.approx(100 * low)
            assert row.values[f"high_{rating}"] == pytest.approx(100 * high)
    assert len(tables["strength"].rows) == 10
    assert tables["strength"].averages[0].values["pairs"] == 39
    strength_table, fluency = tables["strength"].to_json(), tables["fluency"].to_json()
    for row in (*strength_table["rows"], *strength_table["averages"]):
        own_pairs = [of for pair, of in rated.items() if row["decile"] in ("all", str(pair.decile))]
        alpha = ordinal_alpha(np.array(own_pairs, np.float64).T)
        assert row["alpha"] == alpha
        assert alpha is None or row["alpha_low"] <= alpha <= row["alpha_high"]
    assert sum(row["alpha"] is not None for row in strength_table["rows"]) >= 5
    assert "Krippendorff's (ordinal) of 3 judges, with an interval from 2,000" in strength_table["caption"]
    assert "α" not in fluency["caption"] and fluency["averages"][0]["alpha"] is None  # all ratings are equal
    assert tables["fluency"].averages[0].values["share_3"] == 100
    assert len(judged(source, read_answers(paths), None)["strength"].rows) == 0
    with pytest.raises(InputError, match="40 of its 40 pairs are here, or they have other texts"):
        judged(source, read_answers(answers(tmp_path, "0" * 16, given)), None)
    more = {judge: {**of_judge, "news/news.tsv:999999": [1, 1]} for judge, of_judge in given.items()}
    with pytest.raises(
        InputError, match="of the 40 pairs of the page, got 1 more, such as 'news/news.tsv:9999"
    ):
        judged(source, read_answers(answers(tmp_path, sample_hash(pairs), more)), None)
    other = open_pairs(str(write_release(tmp_path / "other", rows=200, first=900)))
    with pytest.raises(InputError, match="name the release or file that the page was made from"):
        judged(other, read_answers(answers(tmp_path, sample_hash(pairs), given)), None)


RIGHT = {"format": FORMAT, "sample": "ab", "judge": 1, "ratings": {"a": [1, None]}}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "x"}, "expected `format` to be"),
        ({"more": 1}, "expected format, sample, judge and ratings, got"),
        ({"sample": 1}, "expected the hash of the page's pairs as `sample`, got 1"),
        ({"judge": True}, "expected the number of the judge as `judge`, a whole number, got True"),
        ({"judge": -4}, "expected the number of the judge as `judge`, at least 1, got -4"),
        ({"judge": 21}, "expected the number of the judge as `judge`, at most 20, got 21"),
        ({"ratings": []}, "expected ratings by pair"),
        ({"ratings": {}}, "expected ratings by pair"),
        ({"ratings": {"a": [4, 1]}}, r"pair 'a': expected 2 ratings of 1, 2, 3 or null, got \[4, 1\]"),
        ({"ratings": {"a": [1]}}, "expected 2 ratings"),
        ({"ratings": {"a": [True, 1]}}, "expected 2 ratings"),
        ({"ratings": {"a": "12"}}, "expected 2 ratings"),
    ],
)
def test_a_file_of_wrong_answers(change: dict[str, object], told: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(RIGHT | change))
    with pytest.raises(
        InputError, match=f"a.json is not a file that the page of `paranmt judge` saved: .*{told}"
    ):
        read_answers([tmp_path / "a.json"])


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    a.write_text(json.dumps(RIGHT))
    b.write_text(json.dumps(RIGHT))
    with pytest.raises(InputError, match="b.json and .*a.json are both of judge 1; leave one out"):
        read_answers([a, b])
    b.write_text(json.dumps(RIGHT | {"judge": 2, "sample": "cd"}))
    with pytest.raises(InputError, match="are answers to different pages"):
        read_answers([a, b])
    b.write_text("{")
    with pytest.raises(InputError, match="b.json is not a file of answers"):
        read_answers([a, b])
    with pytest.raises(InputError, match="c.json cannot be read: No such file"):
        read_answers([tmp_path / "c.json"])


PAIRS = [JudgedPair(f"c/{number}", f"left {number}", f"right {number}", 3) for number in range(5)]
HOSTILE_PAIRS = [*PAIRS, JudgedPair("hostile", HOSTILE, f"right {HOSTILE}", 4)]


def test_the_page_is_blind_and_sends_nothing() -> None:
    html = judging_page(HOSTILE_PAIRS, 2)
    assert html == judging_page(HOSTILE_PAIRS[::-1], 2)
    assert "decile" not in html and "reference" not in re.sub(r"<script>.*", "", html, flags=re.S)
    assert html.count("</script>") == 2
    assert "default-src 'none'" in html
    assert not re.search(r"url\(|@import|https?://|fetch\(|XMLHttp", html)


# What a judge does: judges every pair by keys, goes back and rates one again, saves, and loads it as a file.
DRIVE = """
<script>
(async () => {
  const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const seen = [];
  const texts = () => Array.from(document.querySelectorAll(".sentence"), (each) =>
    (each.classList.contains("marked") ? "*" : "") + each.querySelector(".text").textContent);
  let saved = null;
  URL.createObjectURL = (blob) => { saved = blob; return "#"; };
  document.querySelectorAll("#who button")[1].click();
  for (let pair = 0; pair < 6; pair++) {
    seen.push(texts());
    press(texts()[0].startsWith("*") ? "3" : "1");
    press("2");
  }
  press("ArrowLeft");
  press("ArrowLeft");
  const again = texts();
  press("2");
  press("s");
  const first = await saved.text();
  const files = new DataTransfer();
  const changed = JSON.parse(first);
  changed.judge = 1;
  changed.ratings["c/0"] = [null, null];
  files.items.add(new File([JSON.stringify(changed)], "mine.json"));
  document.getElementById("load").files = files.files;
  document.getElementById("load").dispatchEvent(new Event("change"));
  const done = document.getElementById("done");
  for (let wait = 0; wait < 400 && !done.textContent.includes("5 judged"); wait++) {
    await new Promise((next) => setTimeout(next, 50));
  }
  const open = texts();
  const pressed = document.querySelectorAll("button[aria-pressed=true]").length;
  const kept = JSON.parse(localStorage.getItem(Object.keys(localStorage).find((key) => key.endsWith(" 2"))));
  const report = document.createElement("pre");
  report.id = "report";
  report.textContent = JSON.stringify({ seen, again, first, open, pressed, kept,
    done: done.textContent });
  document.body.append(report);
})();
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_judging_in_a_browser(tmp_path: Path) -> None:
    html = judging_page(HOSTILE_PAIRS, 2)
    page, driven = tmp_path / "page.html", tmp_path / "driven.html"
    page.write_text(html, encoding="utf-8")
    assert "Judge 2" in shown(page)
    without_policy = re.sub(r"<meta http-equiv[^>]*>", "", html)
    driven.write_text(without_policy.replace("</body>", f"{DRIVE}</body>"), encoding="utf-8")
    found = re.search(r'<pre id="report">(.*?)</pre>', shown(driven), re.S)
    assert found is not None
    report = json.loads(
        re.sub(r"&(lt|gt|amp);", lambda m: {"lt": "<", "gt": ">", "amp": "&"}[m[1]], found[1])
    )
    texts = {pair.pair_id: (pair.reference, f"*{pair.translation}") for pair in HOSTILE_PAIRS}
    seen = [tuple(sorted(each, key=lambda text: text.startswith("*"))) for each in report["seen"]]
    assert sorted(seen) == sorted(texts.values())
    assert seen != [texts[pair_id] for pair_id in sorted(texts)]  # in an order of the judge's own
    assert len({each[0].startswith("*") for each in report["seen"]}) == 2
    saved = json.loads(report["first"])
    assert (saved["format"], saved["judge"], saved["sample"]) == (FORMAT, 2, sample_hash(HOSTILE_PAIRS))
    by_texts = {both: pair_id for pair_id, both in texts.items()}
    expected = {
        by_texts[seen[number]]: [3 if each[0].startswith("*") else 1, 2]
        for number, each in enumerate(report["seen"])
    }
    expected[by_texts[tuple(sorted(report["again"], key=lambda text: text.startswith("*")))]][0] = 2
    assert saved["ratings"] == expected == report["kept"]
    # The loaded file is another judge's, whose first open pair is shown.
    assert sorted(report["open"], key=lambda text: text.startswith("*")) == [*texts["c/0"]]
    assert (report["pressed"], report["done"].split(", ")[1]) == (0, "5 judged")


def shown(page: Path) -> str:
    """The page as headless Chromium shows it; fails if its console has a message."""
    done = subprocess.run(
        [
            str(CHROMIUM),
            *("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"),
            "--virtual-time-budget=30000",
            f"--user-data-dir={page.parent / 'profile'}",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in done.stderr, done.stderr
    return done.stdout


def test_the_command(release: Path, tmp_path: Path) -> None:
    page = tmp_path / "judge.html"
    assert "20 pairs: open" in paranmt("judge", release, "-o", page, "-n", 20, "--by", PRIMARY).output
    assert "judge.html" in paranmt("judge", release, "-o", page).output  # which exists already
    found = json.loads(re.findall(r'<script id="data"[^>]*>(.*?)</script>', page.read_text())[0])
    given = {1: {pair_id: [2, 3] for pair_id, *_ in found["pairs"]}}
    (path,) = answers(tmp_path, found["sample"], given)
    tables = json.loads(ok("judge", release, path, "--json", "--by", "trigram_overlap"))
    assert tables["strength"]["averages"][0]["share_2"] == 100
    assert "| all" in ok("judge", release, path, "--markdown")
    for wrong in (
        ["judge", release],
        ["judge", release, path, "-o", page],
        ["judge", release, "-o", "x", "-n", 0],
    ):
        assert paranmt(*wrong).exit_code == 2
