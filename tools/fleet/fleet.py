#!/usr/bin/env python3
"""Merges summaries of rltrace on Apache Spark.

Usage: spark-submit tools/fleet/fleet.py INPUT... -o OUTPUT [--by KEYS] [--schema FILE]
       python3 tools/fleet/fleet.py INPUT... -o OUTPUT [--by KEYS]      (local mode, with pyspark from PyPI)

INPUT is anything that Spark can read: files or folders with the JSON lines of `rltrace summarize` or of this job, or
Parquet with the same columns (paths that end with .parquet). OUTPUT becomes a folder with one merged line for each
group of keys; `rltrace fleet OUTPUT` reads it.

  --by KEYS      the keys to group by, such as build,os,device,day (default: build,os,device)
  --convert      writes the summaries as Parquet, and merges nothing
  --schema FILE  the schema of summaries, which says how each field merges (default: docs/reference/schema/summary-1.json)
  --master URL   Spark's master for `python3` (default local[*])

Each number of a line becomes one row of a long table. Spark adds these rows up and puts the lists together again. It
uses its own sums, minima and groupings only; no row passes through Python. A trace that occurs twice counts once. Only
the recording of a session with losses counts. Lines that are not summaries are counted, and written to OUTPUT-rejected.

Exit status: 0 success, 64 wrong usage, 65 lines were rejected (the others are merged).
"""

import argparse
import json
import sys
from functools import reduce
from operator import or_
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

SCHEMA = Path(__file__).resolve().parent.parent.parent / "docs/reference/schema/summary-1.json"
NAME = "rltrace.summary/1"
# The limits of `rltrace fleet`.
MOST, LINE_BYTES, TEXT_BYTES, KEYS, ROWS = 2**63 - 1, 2**24, 2**12, 32, 2**16
TEXT, NUMBER = T.StringType(), T.LongType()
# The long table has a row for each number: the place of its list, the texts that identify its row, the place of its field,
# and the value of its cell. These mark a row without numbers, and a number that is not a cell.
NO_FIELD, NO_VALUE = -1, -1


class List:
    """A list of summaries: the fields that identify a row, and how the others merge."""

    def __init__(self, place, name, items, is_optional):
        self.place, self.name, self.is_optional = place, name, is_optional
        self.merge = {field: about["x-merge"] for field, about in items["properties"].items()}
        self.identity = items.get("required", [])
        self.fields = [field for field, merge in self.merge.items() if merge in ("sum", "longest", "cells")]

    def fields_by(self, *merges):
        return [(place, field) for place, field in enumerate(self.fields) if self.merge[field] in merges]

    @property
    def type(self):
        def of(field):
            return T.ArrayType(T.ArrayType(NUMBER)) if self.merge[field] == "cells" else NUMBER
        names = self.identity + [name for name, merge in self.merge.items() if merge == "longest_in"]
        return T.ArrayType(T.StructType([T.StructField(name, TEXT) for name in names]
                                        + [T.StructField(field, of(field)) for field in self.fields]))

    @property
    def rows(self):
        """The column of the list. A list that a line leaves out is empty."""
        return F.coalesce(F.col(self.name), F.from_json(F.lit("[]"), self.type)) if self.is_optional else F.col(self.name)

    def is_wrong(self, rows):
        """Returns whether the list breaks a rule of summaries."""
        def wrong_cells(cells):
            # Places beyond an array, and comparisons with null, are null.
            values = F.transform(cells, lambda pair: F.get(pair, 0))
            pair_is_right = F.forall(cells, lambda pair: is_true(
                (F.size(pair) == 2) & (F.get(pair, 0) >= 0) & (F.get(pair, 1) > 0)))
            return is_true(~pair_is_right | (F.size(cells) > ROWS) | (F.size(F.array_distinct(values)) < F.size(cells)))

        def wrong_row(row):
            tests = [row.isNull()] + [row[name].isNull() for name in self.identity]
            tests += [is_long(row[name]) for name in row_texts]
            tests += [is_true(row[field] < 0) for _, field in self.fields_by("sum", "longest")]
            return reduce(or_, tests + [wrong_cells(row[field]) for _, field in self.fields_by("cells")])

        row_texts = self.identity + [name for name, merge in self.merge.items() if merge == "longest_in"]
        # Length prefixes distinguish texts that would be equal once concatenated.
        names = F.transform(rows, lambda row: F.concat(F.lit(""), *(
            F.concat(F.length(row[name]).cast("string"), F.lit(":"), row[name]) for name in self.identity)))
        return F.when(rows.isNull(), F.lit(not self.is_optional)).otherwise(
            (F.size(rows) > ROWS) | is_true(F.exists(rows, wrong_row))
            | is_true(F.size(F.array_distinct(names)) < F.size(rows)))

    def numbers(self, rows):
        """Returns the sums and cells of a list: a structure per row, with the place of the list, the identity of the row, and
        its fields with arrays of [value, number]. The value of a sum is NO_VALUE."""
        def of_row(row):
            # A row without numbers stays a row.
            fields = [F.struct(F.lit(NO_FIELD).alias("field"), pairs(F.lit(0)).alias("pairs"))]
            fields += [F.struct(F.lit(place).alias("field"), pairs(row[field]).alias("pairs"))
                       for place, field in self.fields_by("sum")]
            fields += [F.struct(F.lit(place).alias("field"), row[field].alias("pairs")) for place, field in self.fields_by("cells")]
            return self.entry(row, F.array(*fields))

        def pairs(number):
            return F.array(F.array(F.lit(NO_VALUE).cast("bigint"), number.cast("bigint")))

        return F.transform(rows, of_row)

    def longest(self, rows):
        """Returns the longest numbers of a list: a structure per row, with the place of the list, the identity of the row,
        and its fields."""
        return F.transform(rows, lambda row: self.entry(row, F.array(*(
            F.struct(F.lit(place).alias("field"), row[field].alias("number"), row["longest_in"].alias("text"))
            for place, field in self.fields_by("longest")))))

    def entry(self, row, fields):
        identity = F.array(*(row[name] for name in self.identity)).cast("array<string>")
        return F.struct(F.lit(self.place).alias("list"), identity.alias("identity"), fields.alias("fields"))

    def row(self, numbers, cells, texts):
        """Returns a merged row with its names, as a structure."""
        parts = [F.get("identity", place).alias(name) for place, name in enumerate(self.identity)]
        parts += [numbers[place].alias(field) for place, field in self.fields_by("sum", "longest")]
        parts += [texts[place].alias("longest_in") for place, _ in self.fields_by("longest")]
        return F.struct(*parts, *(F.when(F.size(cells[place]) > 0, F.transform(
            F.sort_array(cells[place]), lambda pair: F.array(pair["value"], pair["number"]))).alias(field)
            for place, field in self.fields_by("cells")))


def is_true(test):
    return F.coalesce(test, F.lit(False))


def is_long(text):
    return is_true(F.octet_length(text) > TEXT_BYTES)


def total(number):
    """Returns a sum that stops at the largest number, as that of `rltrace fleet` does."""
    return F.coalesce(F.try_sum(number), F.when(F.max(number).isNotNull(), F.lit(MOST)))


def sum_of_sessions(recordings):
    """Returns the number of sessions of a line; null if it is too large."""
    return F.aggregate(recordings, F.lit(0).cast("bigint"), lambda sum, row: F.try_add(sum, F.coalesce(row["sessions"], F.lit(0))))


def read(spark, inputs, lists):
    """Returns the lines: the parsed `line`, its text `value`, and whether it is `wrong`."""
    fields = [T.StructField("schema", TEXT), T.StructField("id", TEXT), T.StructField("sessions", NUMBER),
              T.StructField("keys", T.MapType(TEXT, TEXT))] + [T.StructField(one.name, one.type) for one in lists]
    parquet = [path for path in inputs if path.rstrip("/").endswith(".parquet")]
    texts = [path for path in inputs if path not in parquet]
    frames = []
    if parquet:
        rows = spark.read.schema(T.StructType(fields)).parquet(*parquet)
        line = F.struct(*(F.col(field.name) for field in fields))
        frames.append(rows.select(line.alias("line"), F.to_json(line).alias("value"), F.lit(False).alias("broken")))
    if texts:
        # Parsing each line inside a JSON list reveals anything that follows the object on that line.
        around = T.StructType([T.StructField("line", T.ArrayType(T.StructType(fields))), T.StructField("broken", TEXT)])
        lines = spark.read.text(texts, recursiveFileLookup=True).where(F.col("value").rlike(r"[^ \t\r]"))
        parsed = lines.select("value", F.from_json(
            F.concat(F.lit('{"line":['), "value", F.lit("]}")), around,
            {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "broken"}).alias("parsed"))
        frames.append(parsed.select(
            F.get("parsed.line", 0).alias("line"), "value",
            (F.col("parsed.broken").isNotNull() | (F.size("parsed.line") != 1) | (F.octet_length("value") > LINE_BYTES))
            .alias("broken")))
    lines = reduce(lambda one, other: one.unionByName(other), frames)
    line = F.col("line")
    tests = [F.col("broken"), line.isNull(), F.coalesce(line["schema"], F.lit("")) != NAME,
             F.coalesce(line["sessions"], F.lit(0)) < 1, line["id"].isNotNull() & (line["sessions"] != 1), is_long(line["id"]),
             line["keys"].isNull() | (F.size(line["keys"]) > KEYS),
             is_true(F.exists(F.map_values(line["keys"]), lambda text: text.isNull() | is_long(text))),
             is_true(F.exists(F.map_keys(line["keys"]), is_long)), *(one.is_wrong(line[one.name]) for one in lists),
             # At least half of each hang lies in runs.
             is_true(F.exists(line["loops"], lambda row: row["hang_ns"] - row["time_ns"] > row["time_ns"])),
             F.coalesce(sum_of_sessions(line["recordings"]), F.lit(-1)) != line["sessions"]]
    return lines.select("line", "value", F.coalesce(reduce(or_, tests), F.lit(True)).alias("wrong"))


def once(summaries, repeated):
    """Returns the summaries, with one of each repeated trace."""
    if repeated.isEmpty():
        return summaries
    return summaries.join(repeated, "id", "left_anti").unionByName(
        summaries.join(repeated, "id", "left_semi").dropDuplicates(["id"]))


def merged(summaries, lists, names):
    """Returns the merged lines."""
    keys = [f"key_{name}" for name in names]
    known = [F.coalesce(F.col("keys")[name], F.lit("")).alias(key) for name, key in zip(names, keys)]
    lossy = F.col("id").isNotNull() & is_true(F.exists("recordings", lambda row: row["lossy_sessions"] > 0))

    def rows_of(of_list, some):
        """Returns a row for each field of each row of the lists."""
        found = {one.name: of_list(one, one.rows) for one in some}
        found = F.when(~lossy, F.concat(*found.values())).otherwise(found.get("recordings"))
        return (summaries.select(*known, F.explode(found).alias("entry"))
                .select(*keys, "entry.list", "entry.identity", F.explode("entry.fields").alias("of"))
                .select(*keys, "list", "identity", "of.*"))

    row = [*keys, "list", "identity", "field"]
    sums = (rows_of(List.numbers, lists).select(*row, F.explode("pairs").alias("pair"))
            .select(*row, F.get("pair", 0).alias("value"), F.get("pair", 1).alias("number")).where("number IS NOT NULL")
            .groupBy(*row, "value").agg(total("number").alias("number")))
    # The largest number; among equal numbers, the first name. Grouping with texts is slower, so it is limited to
    # these rows.
    first = F.min(F.struct((-F.col("number")).alias("number"), "text"))
    longest = (rows_of(List.longest, [one for one in lists if one.fields_by("longest")]).where("number IS NOT NULL")
               .groupBy(row).agg(first.alias("first"))
               .select(*row, F.lit(NO_VALUE).cast("bigint").alias("value"), (-F.col("first.number")).alias("number"), "first.text"))
    numbers = sums.withColumn("text", F.lit(None).cast("string")).unionByName(longest)

    # One row for each row of a list, with its numbers by the place of their fields.
    def at(field, what):
        return F.when((F.col("field") == field) & (F.col("value") < 0), F.col(what))

    widest = max(len(one.fields) for one in lists)
    with_cells = sorted({field for one in lists for field, _ in one.fields_by("cells")})
    with_texts = sorted({field for one in lists for field, _ in one.fields_by("longest")})
    rows = numbers.groupBy(*keys, "list", "identity").agg(
        *(F.max(at(field, "number")).alias(f"n{field}") for field in range(widest)),
        *(F.max(at(field, "text")).alias(f"t{field}") for field in with_texts),
        *(F.collect_list(F.when((F.col("field") == field) & (F.col("value") >= 0), F.struct("value", "number")))
          .alias(f"c{field}") for field in with_cells))
    n, t, c = ({field: F.col(f"{letter}{field}") for field in fields}
               for letter, fields in (("n", range(widest)), ("t", with_texts), ("c", with_cells)))
    lines = rows.groupBy(keys).agg(*(
        F.sort_array(F.collect_list(F.when(F.col("list") == one.place, one.row(n, c, t)))).alias(one.name) for one in lists))
    pairs = [F.struct(F.lit(name).alias("k"), F.col(key).alias("v")) for name, key in zip(names, keys)]
    group = (F.map_from_entries(F.filter(F.array(*pairs), lambda pair: pair["v"] != "")) if pairs
             else F.from_json(F.lit("{}"), T.MapType(TEXT, TEXT)))
    sessions = F.coalesce(sum_of_sessions(F.col("recordings")), F.lit(MOST))
    return lines.select(F.to_json(F.struct(
        F.lit(NAME).alias("schema"), sessions.alias("sessions"), group.alias("keys"),
        *(F.when(F.size(one.name) > 0, F.col(one.name)).alias(one.name) if one.is_optional else F.col(one.name)
          for one in lists))).alias("value"))


def main():
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--by", default="build,os,device", help=argparse.SUPPRESS)
    parser.add_argument("--convert", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--schema", default=SCHEMA, help=argparse.SUPPRESS)
    parser.add_argument("--master", default="local[*]", help=argparse.SUPPRESS)
    try:
        options = parser.parse_args()
    except SystemExit as end:
        sys.exit(64 if end.code else 0)
    schema = json.loads(Path(options.schema).read_text())
    arrays = {name: about["items"] for name, about in schema["properties"].items() if about.get("type") == "array"}
    lists = [List(place, name, items, name not in schema["required"]) for place, (name, items) in enumerate(arrays.items())]
    names = [name for name in options.by.split(",") if name]

    # A master given to spark-submit takes precedence.
    spark = SparkSession.builder.appName("rltrace fleet").config(
        "spark.master", SparkSession.builder._options.get("spark.master", options.master)).config(
        "spark.ui.showConsoleProgress", "false").getOrCreate()
    if spark.sparkContext.master.startswith("local"):
        # The default, 200, is for clusters.
        spark.conf.set("spark.sql.shuffle.partitions", str(2 * spark.sparkContext.defaultParallelism))
    lines = read(spark, options.inputs, lists)
    # Merged summaries have no id. All of them count.
    known = lines.groupBy(F.col("line.id").alias("id"), "wrong").count().where("wrong OR (count > 1 AND id IS NOT NULL)").cache()
    rejected = known.where("wrong").agg(F.coalesce(F.sum("count"), F.lit(0))).first()[0]
    # If no line is wrong, the filter is left out.
    summaries = (lines.where("NOT wrong") if rejected else lines).select("line.*")
    output = options.output.rstrip("/")
    if options.convert:
        summaries.write.mode("overwrite").parquet(output)
    else:
        merged(once(summaries, known.where("NOT wrong").select("id")), lists, names).write.mode("overwrite").text(output)
    if rejected:
        lines.where("wrong").select("value").write.mode("overwrite").text(output + "-rejected")
    spark.stop()
    if rejected:
        print(f"fleet.py: {rejected} lines are not summaries: {output}-rejected", file=sys.stderr)
        sys.exit(65)


if __name__ == "__main__":
    main()
