#include "CLogbookZlib.h"
