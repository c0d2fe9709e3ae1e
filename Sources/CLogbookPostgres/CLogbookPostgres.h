#pragma once
// libpq as it is: nothing in it needs a wrapper. A system library and not a C target, so that nobody needs its header but who imports it.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
