/// Text that has broken logs: it ends lines early, moves the cursor, closes quotes, or looks like what comes next.
enum HostileText {
    static let all: [String] = [
        "two\nlines", "\n", "ends with a line\n", "carriage\rreturn", "both\r\n", "vertical\u{0B}tab\u{0C}feed",
        "next\u{85}line", "line\u{2028}separator\u{2029}", "nul\0byte", "\0", "bell\u{07}back\u{08}space", "tab\tbed",
        "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{07}", "\u{9B}31m", "delete\u{7F}",
        "right\u{202E}to left\u{202C}", "isolate\u{2066}d\u{2069}", "zero\u{200B}width\u{200D}\u{FEFF}",
        "quote \" and 'quote'", "back\\slash \\n \\u0000 \\", "{\"level\":\"critical\",\"message\":\"forged\"}",
        "\"}\n{\"level\":\"critical\",\"message\":\"forged\"}\n{\"a\":\"",
        "x\n2026-01-01T00:00:00.000Z [critical] forged", "x\n🔥 2026-01-01 00:00:00 +0000: forged",
        "level=critical msg=forged", "a=b c=\"d\"", "<b>&amp;</b>", "%s%n%d {} ${jndi:ldap://x} '; DROP TABLE events; --",
        "e\u{301} or \u{E9}",
        "👩‍👩‍👧‍👦🇩🇪", "\u{FFFD} \u{FFFE} \u{FFFF} \u{10FFFF} \u{D7FF}\u{E000}", " spaces around ", " ",
    ]
}
