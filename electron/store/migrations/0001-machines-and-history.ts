/**
 * Machines, what became of them, settings, and the console's own audit and deploy history. Columns that
 * the fleet's other tools know keep their names. There is no column for a secret, and never will be.
 */
export const machinesAndHistory = `
CREATE TABLE sandboxes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('dev', 'staging', 'prod')),
  instance_id TEXT,
  instance_type TEXT,
  public_ip TEXT,
  private_ip TEXT,
  status TEXT,
  health_status TEXT,
  last_health_check_at TEXT,
  capacity INTEGER NOT NULL DEFAULT 5,
  current_load INTEGER NOT NULL DEFAULT 0,
  ssh_key_name TEXT,
  novnc_url TEXT,
  adspower_version TEXT,
  browser_engine TEXT,
  browser_config TEXT,
  tags TEXT,
  ec2_status TEXT,
  last_started_at TEXT,
  last_stopped_at TEXT,
  auto_stop_enabled INTEGER NOT NULL DEFAULT 0,
  idle_minutes_before_stop INTEGER NOT NULL DEFAULT 30,
  machine_type TEXT NOT NULL,
  agent_version TEXT,
  agent_last_seen_at TEXT,
  gh_image_tag TEXT,
  gh_image_updated_at TEXT,
  deployed_commit_sha TEXT,
  tunnel TEXT NOT NULL,
  agent_id TEXT,
  state TEXT NOT NULL,
  state_since TEXT NOT NULL,
  last_verified_at TEXT,
  verification_failures INTEGER NOT NULL DEFAULT 0,
  killed_at TEXT,
  killed_reason TEXT CHECK (killed_reason IN ('manual', 'expired', 'terminated', 'not_found')),
  snapshot TEXT,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE transitions (
  id INTEGER PRIMARY KEY,
  sandbox_id TEXT NOT NULL,
  at TEXT NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX transitions_by_sandbox ON transitions (sandbox_id, id);

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sandbox_audit_logs (
  id INTEGER PRIMARY KEY,
  sandbox_id TEXT,
  user_id TEXT,
  action TEXT NOT NULL,
  details TEXT NOT NULL DEFAULT '{}',
  ip_address TEXT,
  result TEXT NOT NULL,
  error_message TEXT,
  duration_ms INTEGER,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_sandbox ON sandbox_audit_logs (sandbox_id, id);
CREATE INDEX audit_by_action ON sandbox_audit_logs (action, id);

CREATE TABLE sandbox_deploy_history (
  id INTEGER PRIMARY KEY,
  sandbox_id TEXT NOT NULL,
  image_tag TEXT NOT NULL,
  commit_sha TEXT,
  commit_message TEXT,
  branch TEXT,
  environment TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'deploying', 'completed', 'failed', 'rolled_back')),
  triggered_by TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT,
  rollback_of INTEGER REFERENCES sandbox_deploy_history (id),
  error_message TEXT,
  metadata TEXT
) STRICT;
CREATE INDEX deploys_by_sandbox ON sandbox_deploy_history (sandbox_id, id);
`
