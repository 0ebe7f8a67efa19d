/** Numbered by position; never edited, only added to. */
export const migrations = [
  `CREATE TABLE links (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     kind TEXT NOT NULL CHECK (kind IN ('intent', 'result')),
     of INTEGER,
     time TEXT NOT NULL,
     action TEXT,
     operator TEXT,
     idempotency_key TEXT,
     payload TEXT NOT NULL,
     prev TEXT NOT NULL,
     hash TEXT NOT NULL
   );
   CREATE UNIQUE INDEX links_of ON links (of) WHERE of IS NOT NULL;
   CREATE INDEX links_action ON links (action, seq);
   CREATE INDEX links_key ON links (idempotency_key) WHERE idempotency_key IS NOT NULL;`,
]
