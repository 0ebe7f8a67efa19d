/** Numbered by position; never edited, only added to. */
export const migrations = [
  `CREATE TABLE deploys (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     image_tag TEXT NOT NULL,
     kind TEXT NOT NULL,
     force INTEGER NOT NULL,
     status TEXT NOT NULL,
     step TEXT NOT NULL,
     plan TEXT NOT NULL,
     operator TEXT,
     started_at TEXT NOT NULL,
     finished_at TEXT,
     error_message TEXT
   );
   CREATE INDEX deploys_unfinished ON deploys (id) WHERE finished_at IS NULL;
   CREATE TABLE deploy_steps (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     deploy_id INTEGER NOT NULL REFERENCES deploys (id),
     step TEXT NOT NULL,
     action TEXT NOT NULL,
     target TEXT,
     begun_at TEXT NOT NULL,
     ended_at TEXT,
     error_message TEXT
   );
   CREATE INDEX deploy_steps_deploy ON deploy_steps (deploy_id);`,
]
