import math
import multiprocessing
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paranmt.base.errors import RecipeError
from paranmt.filters.where import condition as where_module
from paranmt.filters.where import expression
from paranmt.filters.where.condition import ClauseDrops, Where
from paranmt.filters.where.expression import FUNCTIONS, MAX_CHARACTERS

COLUMNS = {
    "trigram_overlap": pa.float32(),
    "paraphrase_similarity": pa.float32(),
    "paraphrase_similarity_decile": pa.int8(),
    "reference_length": pa.int32(),
    "translation_length": pa.int32(),
    "domain": pa.string(),
    "held_out": pa.bool_(),
    "order": pa.int32(),
    "candidates": pa.list_(pa.string()),
}
PAIRS = pa.table(
    {
        "trigram_overlap": pa.array([0.7, 0.1, None, math.nan, math.inf], pa.float32()),
        "paraphrase_similarity": pa.array([0.3, 0.6, 0.9, None, -0.5], pa.float32()),
        "paraphrase_similarity_decile": pa.array([3, 5, 10, None, 1], pa.int8()),
        "reference_length": pa.array([7, 30, 31, 0, 12], pa.int32()),
        "translation_length": pa.array([10, 20, 0, 0, None], pa.int32()),
        "domain": ["captions", "news", None, "it's", ""],
        "held_out": [True, False, None, False, False],
        "order": pa.array([1, 2, 3, 4, 5], pa.int32()),
    }
)
T, F, N = True, False, None


def evaluate(text):
    return Where.parse(text, COLUMNS).evaluate(PAIRS).to_pylist()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("trigram_overlap <= 0.7", [T, T, N, N, F]),
        ("trigram_overlap < 0.7", [F, T, N, N, F]),
        ("trigram_overlap = 0.1", [F, T, N, N, F]),
        ("trigram_overlap = 1e-1", [F, T, N, N, F]),
        ("trigram_overlap = .10", [F, T, N, N, F]),
        ("trigram_overlap in (0.7, 0.1)", [T, T, N, N, F]),
        ("trigram_overlap between 0.1 and 0.7", [T, T, N, N, F]),
        ("trigram_overlap = reference_length / translation_length", [T, F, N, N, N]),
        ("reference_length / 10 = 0.7", [T, F, F, F, F]),
        ("trigram_overlap::double = 0.1", [F, T, N, N, F]),
        ("-trigram_overlap <= -0.7", [T, F, N, N, T]),
        ("trigram_overlap > 5", [F, F, N, N, T]),
        ("trigram_overlap > 1e30", [F, F, N, N, T]),
        ("paraphrase_similarity_decile * 100 > 400", [F, T, T, N, F]),
        ("reference_length / translation_length > 1", [F, T, N, N, N]),
        ("reference_length // translation_length = 1", [F, T, N, N, N]),
        ("reference_length % translation_length = 7", [T, F, N, N, N]),
        ("reference_length <= 1.5 * translation_length", [T, T, F, T, N]),
        ("ln(paraphrase_similarity) < -0.5", [T, T, F, N, N]),
        ("domain = 'captions' or domain = 'it''s'", [T, F, N, T, F]),
        ("domain like 'c%' or domain ilike '%WS'", [T, T, N, F, F]),
        ("domain not like 'c%'", [F, T, N, T, T]),
        ("domain is null", [F, F, T, F, F]),
        ("not domain is null", [T, T, F, T, T]),
        ("length(domain) >= 8", [T, F, N, F, F]),
        ("regexp_matches(domain, '^n.w')", [F, T, N, F, F]),
        ("coalesce(domain, 'none') = 'none'", [F, F, T, F, F]),
        ("try_cast(domain as integer) is null", [T] * 5),
        ("cast(domain as integer) > 1", [N] * 5),
        ("held_out", [T, F, N, F, F]),
        ("not held_out", [F, T, N, T, T]),
        ("held_out is not true", [F, T, T, T, T]),
        ("held_out and trigram_overlap > 5", [F, F, N, F, F]),
        ("held_out or paraphrase_similarity > 0.5", [T, T, T, N, F]),
        ("not (held_out or trigram_overlap > 5)", [F, T, N, N, F]),
        ("domain in ('captions', null)", [T, N, N, N, N]),
        ("domain not in ('captions', 'news')", [F, F, N, T, T]),
        ("domain is distinct from 'news'", [T, F, T, T, T]),
        ("case when held_out then trigram_overlap <= 0.7 else false end", [T, F, F, F, F]),
        ("greatest(reference_length, translation_length) <= 30", [T, T, F, T, T]),
        ('"order" = 3', [F, F, T, F, F]),
        ("TRIGRAM_Overlap <= 0.7", [T, T, N, N, F]),
        ("true", [T] * 5),
        ("1 = 2", [F] * 5),
        ("reference_length >= 30 -- long\n and /* far */ reference_length <= 30", [F, T, F, F, F]),
    ],
)
def test_results_for_five_pairs(text, values):
    assert evaluate(text) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "where is empty"),
        ("-- nothing", "where is empty"),
        ("trigram_overlap <", "line 1, column 17, near '<': something is missing"),
        ("trigram_overlap\n  0.7", "line 2, column 3, near '0.7'"),
        ("(held_out", "is not an SQL expression"),
        ("domain = 'news", "Missing ' from 1:9"),
        ("trigram_overlp <= 0.7", "'trigram_overlp'; did you mean trigram_overlap?"),
        ('domain = "captions"', "'captions' (a text goes in single quotes)"),
        ("pairs.domain = 'news'", "cannot use column table"),
        ("candidates is null", "the column candidates: it holds list<"),
        ("trigram_overlap", "is float, not true or false"),
        ("held_out and reference_length", "'reference_length' is int64, not true or false"),
        ("reference_length", "is int64, not true or false"),
        ("null", "not true or false"),
        ("0.1 < trigram_overlap < 0.7", "write a < b AND b < c"),
        ("domain = 1", "cannot be computed: Conversion Error"),
        ("trigram_overlap = 'a'", "cannot be computed: Conversion Error"),
        ("domain > 0.5", "cannot be computed: Binder Error"),
        ("regexp_matches(domain, '(')", "cannot be computed: Invalid Input Error"),
        ("regexp_matches(domain, domain)", "a pattern that is not a text"),
        ("trigram_overlap < 1e300", "a number of 301 digits"),
        ("reference_length < 1e999999999999", "digits"),
        ("reference_length < 9999999999999999999", "a number of 19 digits"),
        ("lenth(domain) > 3", "did you mean length?"),
        ("length() > 3", "length with 0 arguments; it takes 1"),
        ("domain in ()", "IN without a list"),
        ("domain in candidates", "cannot use in field"),
        ("domain is 'news'", "IS before something other"),
        ("cast(domain as date) is null", "cannot cast to DATE"),
        ("reference_length between symmetric 3 and 1", "cannot use between symmetric"),
        ("held_out; held_out", "is 2 statements"),
        ("held_out; drop table pairs", "where"),
        ("held_out) from pairs; --", "is not an SQL expression"),
        ("domain = 'a\0'", "NUL"),
        ("domain = '\ud800'", "a lone surrogate"),
        ("held_out or " * 1000 + "held_out", f"at most {MAX_CHARACTERS} are allowed"),
        ("not " * 500 + "held_out", "nested too deeply"),
        ("(" * 2000 + "held_out" + ")" * 2000, "nested too deeply"),
        *(
            (text, "where cannot use")
            for text in (
                "domain in (select 'news')",
                "exists (select 1)",
                "order > all (select 1)",
                "(select held_out)",
                "reference_length > avg(reference_length)",
                "count(*) > 1",
                "sum(reference_length) over () > 1",
                "row_number() over () < 10",
                "random() < 0.5",
                "now() is null",
                "uuid() = domain",
                "nextval('s') > 1",
                "getenv('HOME') = domain",
                "current_setting('threads') = domain",
                "version() = domain",
                "read_text('/etc/passwd') = domain",
                "glob('/*') = domain",
                "query('select 1') = 1",
                "repeat(domain, 1000000000) = domain",
                "list_filter([1], lambda x: x > 1) is null",
                "reference_length > $1",
                "reference_length > ?",
                "reference_length > :n",
                "* is null",
                "columns(*) > 1",
                "#1 > 1",
                "domain[1] = 'n'",
                "{'a': 1} is null",
                "[1] is null",
                "(1, 2) = (reference_length, translation_length)",
                "domain collate nocase = 'news'",
                "domain similar to 'n.*'",
                "domain like 'n!%' escape '!'",
                "reference_length ** 2 > 4",
                "interval 1 day is null",
            )
        ),
        ("current_date is null", "column that does not exist, 'current_date'"),
        *(
            (text, "where")
            for text in (
                "select held_out",
                "attach '/tmp/x.db'",
                "copy pairs to '/tmp/x'",
                "pragma threads=4",
                "set threads = 4",
                "load httpfs",
                "install httpfs",
                "held_out from pairs",
                "held_out limit 1",
                "held_out order by 1",
                "held_out as x",
                "distinct held_out",
                "held_out union select true",
                "with x as (select 1) select true",
            )
        ),
    ],
)
def test_expressions_that_are_refused(text, message):
    with pytest.raises(RecipeError) as refusal:
        Where.parse(text, COLUMNS)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_every_function_can_be_called():
    arguments = {
        "abs": "order", "ceil": "trigram_overlap", "coalesce": "domain, 'x'", "contains": "domain, 'a'",
        "ends_with": "domain, 's'", "ln": "trigram_overlap", "floor": "trigram_overlap",
        "greatest": "1, 2", "least": "1, 2", "if": "held_out, 1, 2", "ifnull": "order, 1",
        "left": "domain, 2",
        "length": "domain", "lower": "domain", "nullif": "domain, ''", "regexp_matches": "domain, 'a+'",
        "right": "domain, 2", "round": "trigram_overlap, 2", "sign": "order", "starts_with": "domain, 'n'",
        "strpos": "domain, 'n'", "substring": "domain, 1, 2", "trim": "domain", "upper": "domain",
    }  # fmt: skip
    assert arguments.keys() == FUNCTIONS.keys()
    for name, listed in arguments.items():
        assert Where.parse(f"{name}({listed}) is not null", COLUMNS).evaluate(PAIRS).null_count == 0


def test_spellings_of_one_expression_have_the_same_canonical_text():
    spellings = [
        "trigram_overlap<=0.70 and not (domain is null) and reference_length in (1,2)",
        "((TRIGRAM_OVERLAP <= .7) AND domain IS NOT NULL) AND reference_length IN ( 1, 2 )",
        "trigram_overlap <= 7e-1 /* ! */ and domain notnull\n-- short\nand (reference_length in (01, 2))",
    ]
    texts = {Where.parse(text, COLUMNS).canonical for text in spellings}
    assert texts == {"(trigram_overlap <= 0.7) AND (domain IS NOT NULL) AND (reference_length IN (1, 2))"}
    for name in ("select", "order"):
        assert Where.parse(f'"{name}" > 1', {name: pa.int8()}).canonical == f'"{name}" > 1'


@pytest.mark.parametrize("test", ["is null", "in (1)", "between 1 and 2"])
def test_nested_negations_are_written_once_each(test, monkeypatch):
    inner, text = "reference_length", "reference_length"
    for _ in range(10):
        inner, text = f"({inner}) not {test}".replace("not is", "is not"), f"not ({text}) {test}"
    written = []
    write = expression.DuckDBGenerator.column_parts
    monkeypatch.setattr(
        expression.DuckDBGenerator,
        "column_parts",
        lambda self, node: written.append(node) or write(self, node),
    )
    where = [expression.normal(expression.read(each), COLUMNS) for each in (inner, text)]
    assert expression.canonical(where[0]) == expression.canonical(where[1])
    assert len(written) == 2


def test_columns_and_clauses():
    where = Where.parse(
        "paraphrase_similarity_decile between 5 and 9 "
        "and (trigram_overlap <= 0.7 or held_out) and Domain = 'x'",
        COLUMNS,
    )
    assert where.columns == {"paraphrase_similarity_decile", "trigram_overlap", "held_out", "domain"}
    assert where.clauses == (
        "paraphrase_similarity_decile BETWEEN 5 AND 9",
        "(trigram_overlap <= 0.7) OR held_out",
        "domain = 'x'",
    )
    assert Where.parse("true", COLUMNS).columns == set()
    assert Where.parse("held_out or true", COLUMNS).clauses == ("held_out OR TRUE",)
    assert len(Where.parse(" and ".join(["held_out"] * 700), COLUMNS).clauses) == 700


def test_drops_by_hand():
    where = Where.parse("reference_length >= 10 and trigram_overlap <= 0.7 and not held_out", COLUMNS)
    # Pair by pair: length F T T F T; overlap T T N N F; not held out F T N T T.
    drops = where.drops(PAIRS)
    assert (drops.pairs, drops.selected, drops.dropped, drops.null) == (5, 1, 3, 1)
    assert drops.clauses == (
        ClauseDrops("reference_length >= 10", alone=2, in_order=2, null=0),
        ClauseDrops("trigram_overlap <= 0.7", alone=3, in_order=2, null=2),
        ClauseDrops("NOT held_out", alone=2, in_order=0, null=1),
    )
    parts = [where.drops(PAIRS.slice(start, 2)) for start in (0, 2, 4)]
    assert parts[0] + parts[1] + parts[2] == drops
    with pytest.raises(ValueError, match="different expressions"):
        drops + Where.parse("held_out", COLUMNS).drops(PAIRS)


def test_rows_keep_their_order_in_big_tables_of_many_chunks():
    numbers = np.random.default_rng(0).integers(0, 100, 500_000).astype(np.int32)
    table = pa.table({"order": pa.chunked_array(np.array_split(numbers, 7))})
    found = Where.parse('"order" < 50', COLUMNS).evaluate(table)
    assert np.array_equal(found.to_numpy(zero_copy_only=False), numbers < 50)
    assert isinstance(found, pa.BooleanArray)
    assert Where.parse("true", COLUMNS).evaluate(table).true_count == 500_000
    empty = Where.parse('"order" < 50', COLUMNS).evaluate(table.slice(0, 0))
    assert (len(empty), empty.type) == (0, pa.bool_())


def test_other_arrow_types():
    columns = {
        "text": pa.dictionary(pa.int32(), pa.string()),
        "large": pa.large_string(),
        "double": pa.float64(),
    }
    rows = {"text": ["a", None], "large": ["a", "b"], "double": [0.1, math.nan]}
    table = pa.table({name: pa.array(values, columns[name]) for name, values in rows.items()})
    found = Where.parse("text = 'a' and large = 'a' and double = 0.1", columns).evaluate(table)
    assert found.to_pylist() == [True, False]
    with pytest.raises(RecipeError, match="differ only in case: A, a"):
        Where.parse('"A" = "a"', {"A": pa.int32(), "a": pa.int32()})


def test_a_value_that_cannot_be_computed_is_the_recipes_mistake():
    where = Where.parse('"order" * "order" * "order" > 1', {"order": pa.int64()})
    with pytest.raises(RecipeError, match="fails on a pair: Out of Range Error"):
        where.evaluate(pa.table({"order": [2**40]}))


def _in_child(where):
    return where.evaluate(PAIRS).to_pylist()


def test_threads_and_processes():
    where = pickle.loads(pickle.dumps(Where.parse("trigram_overlap <= 0.7", COLUMNS)))
    expected = where.evaluate(PAIRS).to_pylist()
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(_in_child, [where] * 40)) == [expected] * 40
    with multiprocessing.get_context("fork").Pool(1) as child:
        assert child.apply_async(_in_child, [where]).get(timeout=60) == expected


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "COPY (SELECT 1) TO '{folder}/x.csv'",
        "ATTACH '{folder}/x.db'",
        "LOAD httpfs",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET threads = 4",
        "SELECT * FROM secret",
    ],
)
def test_the_connection_has_no_access_to_files_or_network(statement, tmp_path):
    secret = pa.table({"a": [1]})  # a variable of this name must not be found
    with pytest.raises(duckdb.Error):
        where_module._connection().execute(statement.format(folder=tmp_path)).fetchall()
    assert len(secret) == 1 and list(tmp_path.iterdir()) == []


PIECES = [
    *COLUMNS,
    "0.7", "1", "-", "'a'", "'", "\"", "(", ")", ",", ";", "+", "*", "/", "//", "%", "=", "<", "<=",
    "<>", "and", "or", "not", "is", "null", "in", "between", "like", "case", "when", "then", "else",
    "end", "cast", "as", "::", "int", "distinct", "from", "select", "exists", "over", "filter",
    "within", "group", "order", "by", "any", "length", "random", "read_csv", "[", "]", "{", "}", ":",
    "?", "$1", "#1", "@", "->", "=>", ":=", "||", "|", "&", "~", "!", ".", "..", "true", "array",
    "struct", "map", "interval", "date", "at", "time", "zone", "escape", "e'", "$$", "--", "/*", "*/",
    "\\", "1e5", "1e", "0x1", "1_0", "unnest", "lambda", "try_cast", "extract", "position",
]  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)))
@settings(max_examples=1500, deadline=None)
@example("²")
@example("1e")
@example("x'")
@example("cast(1 as)")
@example("case end")
def test_any_text_is_an_expression_or_a_recipe_error(text):
    try:
        where = Where.parse(text, COLUMNS)
    except RecipeError:
        return
    assert Where.parse(where.canonical, COLUMNS) == where
    assert len(where.evaluate(PAIRS)) == len(PAIRS)


def _operand(chance):
    return chance.choice(["n", "m", "1", "2", "-1", "3", "s", "'a'", "b", "c", "true", "null"])


def _expression(chance):
    """Without parentheses, so that only precedence says what belongs together."""
    text = chance.choice(["", "", "not ", "- "]) + _operand(chance)
    for _ in range(chance.randint(1, 3)):
        if chance.random() < 0.35:
            text += " " + chance.choice(
                ["is null", "is not null", "in (1, 2)", "not in (1, 2)", "between 0 and 2", "like 'a%'",
                 "not between 1 and m", "notnull", "::varchar", "is true", "is not distinct from true"]
            )  # fmt: skip
        else:
            sign = chance.choice(
                ["+", "-", "*", "=", "<>", "<", "and", "or", "||", "and not", "is distinct from"]
            )
            text += f" {sign} " + chance.choice(["", "", "", "not ", "-"]) + _operand(chance)
    return text


def test_results_agree_with_duckdb_on_the_same_text():
    values = {"n": [None, -1, 0, 2, 3], "m": [None, 1, 2], "s": [None, "a", "ab"], "b": [None, True, False]}
    rows = [(n, m, s, b) for n in values["n"] for m in values["m"] for s in values["s"] for b in values["b"]]
    columns = {"n": pa.int64(), "m": pa.int64(), "s": pa.string(), "b": pa.bool_(), "c": pa.bool_()}
    listed = [*zip(*rows, strict=True), [row[3] is None or None for row in rows]]
    table = pa.table(
        {name: pa.array(column, columns[name]) for name, column in zip(columns, listed, strict=True)}
    )
    plain = duckdb.connect()
    plain.register("pairs", table)
    chance = random.Random(7)
    compared = 0
    for _ in range(1500):
        text = _expression(chance)
        try:
            expected = plain.sql(f"SELECT CAST(({text}) AS BOOLEAN) FROM pairs").fetchall()
            found = Where.parse(text, columns).evaluate(table)
        except (duckdb.Error, RecipeError):
            continue
        assert found.to_pylist() == [value for (value,) in expected], text
        compared += 1
    assert compared > 200


def test_reading_and_computing_an_expression_does_not_import_pandas() -> None:
    """pyarrow imports it for some conversions from and to Python's values."""
    code = (
        "import sys, numpy as np, pyarrow as pa\n"
        "from paranmt.filters.where.condition import Where\n"
        "where = Where.parse('a > 1 and b is not null', {'a': pa.float32(), 'b': pa.string()})\n"
        "empty = pa.table([pa.nulls(3, pa.float32()), pa.nulls(3, pa.string())], names=['a', 'b'])\n"
        "assert where.drops(empty).clauses[1].alone == 3\n"
        "assert 'duckdb' in sys.modules\n"
        "assert 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_threads_do_not_see_each_others_pairs() -> None:
    where = Where.parse("a > 0", {"a": pa.int64()})
    tables = [pa.table({"a": [number % 2] * (100 + number)}) for number in range(64)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(where.drops, tables * 4))
    assert [(drops.pairs, drops.selected) for drops in found] == [
        (100 + number, (100 + number) * (number % 2)) for number in range(64)
    ] * 4


@pytest.mark.parametrize(
    ("condition", "is_computed"),
    [
        ("overlap <= 0.7 and not (length between 3 and -1 or decile is distinct from 5)", False),
        ("true", False),
        ("overlap < 0.123456789012345678", True),  # twenty digits: another number may not fit beside it
        ("overlap + 1 < length", True),
        ("corpus = 'a'", True),
    ],
)
def test_only_what_may_fail_is_computed_to_check_it(condition: str, is_computed: bool) -> None:
    code = (
        "import sys\n"
        "import pyarrow as pa\n"
        "from paranmt.filters.where.condition import Where\n"
        "numbers = {'overlap': pa.float32(), 'length': pa.int64(), 'decile': pa.int8()}\n"
        "Where.parse(sys.argv[1], {**numbers, 'corpus': pa.string()})\n"
        "print('duckdb' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, condition], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(is_computed)]
