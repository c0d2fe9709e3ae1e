#pragma once

/// Starts a process that takes every request on a port of 127.0.0.1 and answers 204, until this one ends.
/// @return The port, or 0.
int baseline_start_receiver(void);

/// Sends requests one after the other over one kept handle.
/// @return Seconds, or a negative number.
double baseline_posts(int port, long bytes, int count);
