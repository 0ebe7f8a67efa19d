/** The last lines of each log that somebody looked at, for when its machine cannot be asked. Packed, and bounded. */
export const seenLogs = `
CREATE TABLE seen_logs (
  sandbox_id TEXT NOT NULL,
  service TEXT NOT NULL,
  saved_at TEXT NOT NULL,
  lines INTEGER NOT NULL,
  packed BLOB NOT NULL,
  PRIMARY KEY (sandbox_id, service)
) STRICT;
CREATE INDEX seen_logs_by_time ON seen_logs (saved_at);
`
