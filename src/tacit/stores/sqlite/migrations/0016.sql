-- Schema 16. What applies whatever the task is: ways of working, and rules and wishes of which nobody said what they are about.

DROP INDEX memory_standing;
CREATE INDEX memory_ways ON memory (project) WHERE about = '*' OR pinned = 1 OR (about = '' AND klass IN ('preference', 'rule', 'security'));
-- Which lessons something beside an agent's word speaks for: folded from now on with every sighting.
INSERT OR IGNORE INTO tally (memory, signal, project, amount, at)
  SELECT DISTINCT m.id, 'witnessed', m.project, 1.0, '' FROM evidence e JOIN memory m ON m.id = e.memory
  WHERE e.stance = 'supports' AND e.tier IN ('observed', 'review', 'team', 'user');
