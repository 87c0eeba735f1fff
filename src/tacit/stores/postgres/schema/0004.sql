-- Schema 4. New rows are numbered behind those that were moved in with their numbers, and never before what others have, who may be hidden from us.

CREATE FUNCTION number_on() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  of text[];
  last bigint;
BEGIN
  FOREACH of SLICE 1 IN ARRAY ARRAY[['memory', 'n'], ['evidence', 'n'], ['use_mark', 'n'], ['shared', 'n'], ['journal', 'id'], ['injection', 'id']] LOOP
    EXECUTE format('SELECT greatest(max(%I), (SELECT last_value FROM %s)) FROM %I', of[2], pg_get_serial_sequence(of[1], of[2]), of[1]) INTO last;
    PERFORM setval(pg_get_serial_sequence(of[1], of[2]), last);
  END LOOP;
END $$;
