/**
 * What this operator took over, wherever: it outlives its machine, so the name stands with it. A machine is told by its
 * agent, which stays the same when it is removed and added again.
 */
export const ownTakeovers = `
CREATE TABLE own_takeovers (
  agent_id TEXT NOT NULL,
  id INTEGER NOT NULL,
  sandbox_id TEXT NOT NULL,
  sandbox_name TEXT NOT NULL,
  operator TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  request_id TEXT,
  outcome TEXT NOT NULL,
  note TEXT NOT NULL,
  handed_back_to TEXT NOT NULL,
  held_ms REAL,
  request_to_accepted_ms REAL,
  accepted_to_control_ms REAL,
  hand_back_to_acting_ms REAL,
  PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX own_takeovers_by_time ON own_takeovers (operator, ended_at);
CREATE INDEX own_takeovers_of_sandbox ON own_takeovers (sandbox_id);
`
