#include "CLogbookCurl.h"
