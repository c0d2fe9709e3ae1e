// The one delivery engine lives here.
