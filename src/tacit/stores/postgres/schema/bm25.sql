-- Words ranked by the server itself (BM25), in a database whose keeper has made an extension for that; beside the numbered migrations, since it may come any
-- day. Derived: full text made anew makes it anew. Each word is spelled as one plain token with its project inside, so that no parser cuts it, any script will
-- do, and how common a word is, is counted in its own project, although the index is shared with others.

CREATE OR REPLACE FUNCTION spelled(words text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(string_agg('x' || substr(md5(it), 1, 16), ' '), '') FROM unnest(words) AS t (it)
$$;
ALTER TABLE memory_fts DROP COLUMN IF EXISTS said;  -- and its index with it
ALTER TABLE memory_fts ADD COLUMN said text GENERATED ALWAYS AS (spelled(tsvector_to_array(fts))) STORED;
CREATE INDEX memory_fts_ranked ON memory_fts USING bm25 ({index});

-- Asked of the project's partition and its own index: scores of several partitions are no scale, and who asks must not wait for all of them.
CREATE OR REPLACE FUNCTION rows_like(place text, asked text[], most integer) RETURNS TABLE (n bigint, score float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, tacit, pg_temp AS $$
DECLARE
  words text := tacit.spelled(ARRAY(SELECT place || ' ' || it FROM unnest(asked) AS t (it)));
  part regclass;
  index regclass;
BEGIN
  IF words = '' OR NOT place = ANY (tacit.mine(1)) THEN
    RETURN;
  END IF;
  SELECT f.tableoid INTO part FROM tacit.memory_fts f WHERE f.project = place LIMIT 1;
  SELECT i.indexrelid INTO index FROM pg_catalog.pg_index i JOIN pg_catalog.pg_inherits h ON h.inhrelid = i.indexrelid
    WHERE i.indrelid = part AND h.inhparent = 'tacit.memory_fts_ranked'::regclass;
  IF index IS NOT NULL THEN
    RETURN QUERY EXECUTE format({query}, words, part, index, most);
  END IF;
END $$;
