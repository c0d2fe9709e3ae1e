#pragma once
// A disk below SQLite on which one call goes wrong, once or from then on: for running a scenario again and again with the fault one call
// later each time, until nothing of it is left to fail.
//
// Counted are the calls that change something: a file is made, written, shortened, made safe or removed, and the index of a write-ahead
// log grows. Where all fail from one on, what is left is what a kill at that moment would leave.

typedef struct faulty_database faulty_database;

enum faulty_database_fault {
    /// There is no room: nothing is done.
    faulty_database_full = 1,
    /// Nothing is done.
    faulty_database_error = 2,
    /// Of what is to be written the first half is; other calls do nothing.
    faulty_database_torn = 3,
    /// The call does what it should, and fails.
    faulty_database_late = 4,
};

/// Every database that is opened from now on, and whose path begins so, is on the disk.
faulty_database *faulty_database_make(const char *path);

/// Counts anew from here; the call with that number, counted from 1, goes wrong, or none for 0.
/// - lasts: All calls after it go wrong as well.
void faulty_database_fail(faulty_database *disk, long call, enum faulty_database_fault fault, int lasts);

/// How many calls were counted since.
long faulty_database_calls(faulty_database *disk);

/// How many of them went wrong.
long faulty_database_faults(faulty_database *disk);

/// Who is open on it stays on it, and nothing goes wrong any more.
void faulty_database_free(faulty_database *disk);
