/**
 * How a machine is switched on and off, its load over time, what it reported, and the hash chain under the
 * console's own audit. Rows of the audit that were written before the chain began stand outside of it.
 */
export const powerMetricsAndChain = `
ALTER TABLE sandboxes ADD COLUMN provider TEXT;
ALTER TABLE sandboxes ADD COLUMN keep_up_until TEXT;
ALTER TABLE sandboxes ADD COLUMN last_sandbox TEXT;
ALTER TABLE sandboxes ADD COLUMN agent_audit_entries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sandboxes ADD COLUMN agent_audit_head TEXT;

CREATE TABLE metrics_raw (
  sandbox_id TEXT NOT NULL, at INTEGER NOT NULL,
  cpu REAL NOT NULL, memory REAL NOT NULL, disk REAL NOT NULL, rx REAL NOT NULL, tx REAL NOT NULL,
  PRIMARY KEY (sandbox_id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE metrics_5min (
  sandbox_id TEXT NOT NULL, at INTEGER NOT NULL,
  cpu REAL NOT NULL, memory REAL NOT NULL, disk REAL NOT NULL, rx REAL NOT NULL, tx REAL NOT NULL,
  PRIMARY KEY (sandbox_id, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE metrics_hourly (
  sandbox_id TEXT NOT NULL, at INTEGER NOT NULL,
  cpu REAL NOT NULL, memory REAL NOT NULL, disk REAL NOT NULL, rx REAL NOT NULL, tx REAL NOT NULL,
  PRIMARY KEY (sandbox_id, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  sandbox_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_sandbox ON events (sandbox_id, id);
CREATE INDEX transitions_by_time ON transitions (at);

CREATE TABLE audit_chain (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('intent', 'result')),
  row INTEGER NOT NULL,
  at TEXT NOT NULL,
  payload TEXT NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_pending ON sandbox_audit_logs (id) WHERE result = 'pending';
`
