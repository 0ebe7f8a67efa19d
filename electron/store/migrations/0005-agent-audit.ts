/** What agents' own audits said, for looking at everyone's at once and offline. A copy: the agents keep the record. */
export const agentAudit = `
CREATE TABLE agent_audit (
  sandbox_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  id INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  action TEXT NOT NULL,
  operator TEXT,
  details TEXT NOT NULL,
  result TEXT NOT NULL,
  error_message TEXT,
  duration_ms REAL,
  hash TEXT NOT NULL,
  PRIMARY KEY (sandbox_id, agent_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_audit_by_time ON agent_audit (created_at);
CREATE INDEX agent_audit_of_sandbox ON agent_audit (sandbox_id, created_at);
CREATE TABLE agent_audit_sources (
  sandbox_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  refreshed_at TEXT NOT NULL,
  /** 1 when the rows reach back to the beginning. */
  complete INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_time ON sandbox_audit_logs (created_at);
`
