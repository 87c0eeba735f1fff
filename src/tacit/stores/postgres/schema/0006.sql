-- Schema 6. All rows of each word are weighed, in the server, instead of the newest of each being fetched: in a project of 20,000 lessons an old one that only
-- common words would find was hardly found.

DROP FUNCTION rows_with(text, text[], integer);

-- How many rows of one project hold each word (its number, nothing, the count), and the rows with the greatest rarity of the words they hold (0, the row, its
-- score), at most so many. `total` is how many rows are searched in all, so that what several projects answer can be put in one order.
CREATE FUNCTION rows_weighed(place text, asked text[], total float8, most integer) RETURNS TABLE (word bigint, n bigint, amount float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT place = ANY (mine(1)) THEN
    RETURN;
  END IF;
  RETURN QUERY
    WITH held AS MATERIALIZED (
      SELECT w.i, x.n FROM unnest(asked) WITH ORDINALITY AS w (it, i)
      CROSS JOIN LATERAL (SELECT f.n FROM memory_fts f WHERE f.project = place AND f.fts @@ quoted(place || ' ' || w.it)) x
    ), counted AS (
      SELECT held.i, count(*)::float8 AS held_by FROM held GROUP BY 1
    ), scored AS (
      SELECT held.n, sum(ln(1 + total / (c.held_by + 0.5))) AS score FROM held JOIN counted c USING (i)
      GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT most
    )
    SELECT c.i, NULL::bigint, c.held_by FROM counted c
    UNION ALL
    SELECT 0::bigint, s.n, s.score FROM scored s;
END $$;
