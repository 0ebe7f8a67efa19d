/*
 * Durable inserts with SQLite alone, in C. `audit-insert FILE SCHEMA ROWS PAYLOAD` inserts so many for each line it
 * reads, and prints rows per second. It stays, as ours does: opening a file anew makes its journal anew, and slower.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sqlite3 *db;

static void must(int code, int wanted) {
  if (code == wanted) return;
  fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
  exit(1);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **args) {
  static const char hash[] = "0000000000000000000000000000000000000000000000000000000000000000";
  sqlite3_stmt *insert;
  char moment[32];
  int rows, row;
  double began;
  if (count != 5) return 2;
  rows = atoi(args[3]);
  must(sqlite3_open(args[1], &db), SQLITE_OK);
  must(sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", 0, 0, 0), SQLITE_OK);
  must(sqlite3_exec(db, args[2], 0, 0, 0), SQLITE_OK);
  must(sqlite3_prepare_v2(db,
                          "INSERT INTO links (kind, of, time, action, operator, idempotency_key, payload, prev, hash) "
                          "VALUES ('intent', NULL, ?, 'takeover', 'Tester', NULL, ?, ?, ?)",
                          -1, &insert, 0),
       SQLITE_OK);
  while (getchar() != EOF) {
    began = seconds();
    for (row = 0; row < rows; row++) {
      time_t now = time(0);
      strftime(moment, sizeof moment, "%Y-%m-%dT%H:%M:%S.000Z", gmtime(&now));
      sqlite3_bind_text(insert, 1, moment, -1, SQLITE_STATIC);
      sqlite3_bind_text(insert, 2, args[4], -1, SQLITE_STATIC);
      sqlite3_bind_text(insert, 3, hash, -1, SQLITE_STATIC);
      sqlite3_bind_text(insert, 4, hash, -1, SQLITE_STATIC);
      must(sqlite3_step(insert), SQLITE_DONE);
      must(sqlite3_reset(insert), SQLITE_OK);
    }
    printf("%.3f\n", rows / (seconds() - began));
    fflush(stdout);
  }
  sqlite3_finalize(insert);
  sqlite3_close(db);
  return 0;
}
