#pragma once
// One setting of libsqlite3 that Swift cannot make, for its function takes any number of arguments. A system library and not a C
// target, so that nobody needs its header but who imports it.
#include <sqlite3.h>

/// Refuses statements that could damage the file, such as writing to its schema by hand.
/// Returns 1 when it does from now on, 0 when this libsqlite3 cannot.
static inline int logbook_sqlite_defend(sqlite3 *connection) {
    int isOn = 0;
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, &isOn);
    return isOn;
}
