#!/usr/bin/env python3
"""Merges summaries of rltrace on Apache Spark.

Usage: spark-submit tools/fleet/fleet.py INPUT... -o OUTPUT [--by KEYS] [--schema FILE]
       python3 tools/fleet/fleet.py INPUT... -o OUTPUT [--by KEYS]      (local mode, with pyspark from PyPI)

INPUT is what Spark can read: files or folders with the JSON lines of `rltrace summarize` or of this job, or Parquet with
the same columns (paths that end with .parquet). OUTPUT becomes a folder with one merged line for each group of keys;
`rltrace fleet OUTPUT` reads it.

  --by KEYS      the keys that stay apart, such as build,os,device,day (default: build,os,device)
  --schema FILE  the schema of summaries, which says how each field merges (default: docs/reference/schema/summary-1.json)
  --master URL   Spark's master for `python3` (default local[*])

The merge uses Spark's sums, minima and groupings only; no row passes through Python. A trace that comes twice counts once. Only the
recording of a session with losses counts. Lines that are not summaries are counted, and written to
OUTPUT-rejected.

Exit status: 0 success, 64 wrong usage, 65 lines were rejected (the others are merged).
"""

import argparse
import json
import sys
from functools import reduce
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

SCHEMA = Path(__file__).resolve().parent.parent.parent / "docs/reference/schema/summary-1.json"
NAME = "rltrace.summary/1"


class List:
    """A list of summaries: the fields that identify a row, and how the others merge."""

    def __init__(self, name, items):
        self.name = name
        by = {}
        for field, about in items["properties"].items():
            by.setdefault(about["x-merge"], []).append(field)
        self.identity = items.get("required", [])
        self.sums = by.get("sum", [])
        self.longest = by.get("longest", [])
        self.cells = by.get("cells", [])

    @property
    def type(self):
        fields = [T.StructField(name, T.StringType()) for name in self.identity]
        fields += [T.StructField(name, T.LongType()) for name in self.sums + self.longest]
        fields += [T.StructField("longest_in", T.StringType())] if self.longest else []
        fields += [T.StructField(name, T.ArrayType(T.ArrayType(T.LongType()))) for name in self.cells]
        return T.ArrayType(T.StructType(fields))

    def has_negative(self, row):
        return reduce(lambda a, b: a | b, (F.coalesce(row[name] < 0, F.lit(False)) for name in self.sums + self.longest))

    def merged(self, rows, keys):
        """Returns one row for each group of keys, with the merged list as an array of structures."""
        group = keys + self.identity
        exploded = rows.select(*keys, F.explode(self.name).alias("row")).select(*keys, "row.*")
        columns = [F.sum(name).alias(name) for name in self.sums]
        for name in self.longest:
            # The largest number, and of equal ones the first name.
            first = F.min(F.when(F.col(name).isNotNull(), F.struct((-F.col(name)).alias("n"), F.col("longest_in").alias("s"))))
            columns += [(-first["n"]).alias(name), first["s"].alias("longest_in")]
        merged = exploded.groupBy(group).agg(*columns) if columns else exploded.select(*group).distinct()
        for name in self.cells:
            cells = (exploded.select(*group, F.explode(name).alias("cell"))
                     .groupBy(group + [F.col("cell")[0].alias("value")]).agg(F.sum(F.col("cell")[1]).alias("count"))
                     .groupBy(group).agg(F.sort_array(F.collect_list(F.array("value", "count"))).alias(name)))
            merged = merged.join(cells, group, "left") if group else merged.crossJoin(cells)
        row = F.struct(*self.identity, *self.sums, *self.longest, *(["longest_in"] if self.longest else []), *self.cells)
        return merged.groupBy(keys).agg(F.collect_list(row).alias(self.name))


def read(spark, inputs, lists):
    """Returns the summaries, and the rejected lines."""
    fields = [T.StructField("schema", T.StringType()), T.StructField("id", T.StringType()),
              T.StructField("sessions", T.LongType()), T.StructField("keys", T.MapType(T.StringType(), T.StringType()))]
    fields += [T.StructField(one.name, one.type) for one in lists]
    parquet = [path for path in inputs if path.rstrip("/").endswith(".parquet")]
    texts = [path for path in inputs if path not in parquet]
    frames, rejected = [], None
    if parquet:
        frames.append(spark.read.schema(T.StructType(fields)).parquet(*parquet))
    if texts:
        broken = T.StructField("_broken", T.StringType())
        lines = spark.read.text(texts, recursiveFileLookup=True).where(F.trim("value") != "")
        parsed = lines.select(
            F.from_json("value", T.StructType(fields + [broken]),
                        {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "_broken"}).alias("line"), "value")
        wrong = (F.col("line._broken").isNotNull() | (F.coalesce("line.schema", F.lit("")) != NAME)
                 | (F.coalesce("line.sessions", F.lit(0)) < 1) | F.col("line.keys").isNull()
                 | reduce(lambda a, b: a | b, (F.col("line." + one.name).isNull() for one in lists)))
        for one in lists:
            wrong = wrong | F.exists(F.col("line." + one.name), one.has_negative)
        rejected = parsed.where(wrong).select("value")
        frames.append(parsed.where(~wrong).select(*(F.col("line." + field.name) for field in fields)))
    return reduce(lambda a, b: a.unionByName(b), frames), rejected


def main():
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--by", default="build,os,device", help=argparse.SUPPRESS)
    parser.add_argument("--schema", default=SCHEMA, help=argparse.SUPPRESS)
    parser.add_argument("--master", default="local[*]", help=argparse.SUPPRESS)
    try:
        options = parser.parse_args()
    except SystemExit as end:
        sys.exit(64 if end.code else 0)
    properties = json.loads(Path(options.schema).read_text())["properties"]
    lists = [List(name, about["items"]) for name, about in properties.items() if about.get("type") == "array"]
    names = [name for name in options.by.split(",") if name]

    # A master that spark-submit was given comes first.
    spark = SparkSession.builder.appName("rltrace fleet").config(
        "spark.master", SparkSession.builder._options.get("spark.master", options.master)).config(
        "spark.ui.showConsoleProgress", "false").getOrCreate()
    if spark.sparkContext.master.startswith("local"):
        # The default, 200, is for clusters.
        spark.conf.set("spark.sql.shuffle.partitions", str(2 * spark.sparkContext.defaultParallelism))
    summaries, rejected = read(spark, options.inputs, lists)
    # Merged summaries have no id. All of them count.
    once = summaries.where(F.col("id").isNotNull()).dropDuplicates(["id"]).unionByName(
        summaries.where(F.col("id").isNull()))
    keys = [f"key_{name}" for name in names]
    keyed = once.select("*", *(F.coalesce(F.col("keys")[name], F.lit("")).alias(key) for name, key in zip(names, keys)))
    lossy = F.exists("recordings", lambda row: row["lossy_sessions"] > 0) & F.col("id").isNotNull()
    keyed = keyed.withColumn("lossy", F.coalesce(lossy, F.lit(False))).cache()

    merged = keyed.groupBy(keys).agg(F.sum("sessions").alias("sessions"))
    for one in lists:
        rows = keyed if one.name == "recordings" else keyed.where(~F.col("lossy"))
        part = one.merged(rows, keys)
        merged = merged.join(part, keys, "left") if keys else merged.crossJoin(part)
    pairs = [F.struct(F.lit(name).alias("k"), F.col(key).alias("v")) for name, key in zip(names, keys)]
    known = (F.map_from_entries(F.filter(F.array(*pairs), lambda pair: pair["v"] != "")) if pairs
             else F.from_json(F.lit("{}"), T.MapType(T.StringType(), T.StringType())))
    line = F.struct(F.lit(NAME).alias("schema"), "sessions", known.alias("keys"),
                    *(F.coalesce(one.name, F.array()).alias(one.name) for one in lists))
    merged.select(F.to_json(line).alias("value")).write.mode("overwrite").text(options.output)
    count = 0
    if rejected is not None:
        count = rejected.count()
        if count:
            rejected.write.mode("overwrite").text(options.output.rstrip("/") + "-rejected")
    spark.stop()
    if count:
        print(f"fleet.py: {count} lines are not summaries: {options.output.rstrip('/')}-rejected", file=sys.stderr)
        sys.exit(65)


if __name__ == "__main__":
    main()
