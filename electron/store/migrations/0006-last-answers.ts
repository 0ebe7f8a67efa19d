/** What machines last answered, for looking at them offline. It goes with its machine. */
export const lastAnswers = `
CREATE TABLE last_answers (
  sandbox_id TEXT NOT NULL REFERENCES sandboxes (id) ON DELETE CASCADE,
  call TEXT NOT NULL,
  at TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (sandbox_id, call)
) STRICT, WITHOUT ROWID;
`
