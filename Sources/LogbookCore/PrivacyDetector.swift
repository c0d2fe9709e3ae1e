/// A kind of secret that is known by its looks, wherever it stands in a text.
public enum PrivacyDetector: Sendable, Hashable, CaseIterable {
    /// JSON web tokens: `eyJhbGciOi….eyJzdWIiOi….c2ln`.
    case jsonWebToken
    /// What follows the word `Bearer`, when it looks like a token.
    case bearerToken
    /// Keys with a prefix that their issuer gave them: AWS (`AKIA…`), GitHub (`ghp_…`, `github_pat_…`), GitLab (`glpat-…`), Slack (`xoxb-…`),
    /// Stripe (`sk_live_…`), Google (`AIza…`), npm, SendGrid, and those that begin with `sk-`.
    case accessKey
    /// Private keys in PEM, from `-----BEGIN … PRIVATE KEY-----` to the end of the block; where that is missing, of the text.
    case privateKey
    /// Numbers of payment cards: 13 to 19 digits with an issuer's beginning and a right check digit (Luhn), in one piece or in groups with
    /// a blank or a dash between: of four with fewer at the end, or 4-4-5, 4-6-4, 4-6-5 and 6-13. Also whole numbers in metadata.
    case cardNumber
    /// The password of `scheme://user:password@host`, also as JSON may have it: `scheme:\/\/user:password@host`.
    case urlPassword
    /// What is assigned, with `:`, `=`, `:=`, `==` or `=>`, to a key that the rules name: `password=…`, `"token": "…"`, `user[password]=…`,
    /// `tokens[0]=…`, `?access_token=…`, and where several words are one: `API key: …`. Also as JSON within strings, and form fields in
    /// URLs, have it: `\"token\":\"…\"`, `user%5Bpassword%5D=…`. All of it, with
    /// the brackets and quotes that it opens: `token=Optional("…")`, `{"tokens": ["…", "…"]}`; of cookies the rest of the line, and of
    /// `Authorization: …` as well, unless it is `Basic` or `Bearer`, which one word follows.
    case assignment
}
