/**
 * Deploys over several machines. `state` is the whole of one as it was before its next step, so that it is never
 * half written; the columns beside it are what it is looked for by. `rollout_steps` is its story, step by step.
 */
export const rollouts = `
CREATE TABLE rollouts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  image_tag TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  triggered_by TEXT NOT NULL,
  environments TEXT NOT NULL,
  created_at TEXT NOT NULL,
  ended_at TEXT,
  state TEXT NOT NULL
) STRICT;
CREATE INDEX rollouts_open ON rollouts (id) WHERE ended_at IS NULL;

CREATE TABLE rollout_steps (
  id INTEGER PRIMARY KEY,
  rollout_id INTEGER NOT NULL REFERENCES rollouts (id),
  at TEXT NOT NULL,
  sandbox_id TEXT,
  step TEXT NOT NULL,
  detail TEXT
) STRICT;
CREATE INDEX rollout_steps_by_rollout ON rollout_steps (rollout_id, id);
`
