"""What secrets look like: the data behind `redact`, without a line of logic.

Three tables. TOKENS are credentials that announce themselves by a prefix; they need no regular expression of their own.
SHAPES are the rest of the recognisable ones, each with the words without which it cannot match, so that its expression
is compiled only for a text that holds one. The word lists describe how a value that says nothing by itself is
introduced (`DB_PASSWORD=`, `"token":`, "the password is", "das Passwort lautet").

Lengths are lower bounds well below what the vendors issue today: vendors lengthen their tokens, quotes are cut off in
the middle, and a token that is caught must be caught to its last character. Prefixes and lengths are facts published
by the vendors; the list was compared with the one gitleaks keeps (see NOTICE).
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Alphabets of token bodies. A run is always taken whole, so that no tail of a token survives.
ALPHABETS = {
    "alnum": "[A-Za-z0-9]+",
    "upper": "[A-Z0-9]+",
    "dashed": "[A-Z0-9-]+",
    "hex": "[0-9A-Fa-f]+",
    "word": "[A-Za-z0-9_-]+",
    "dotted": r"[A-Za-z0-9_.=%-]+",
    "base64": r"[A-Za-z0-9+/_=-]+",
}

# kind, prefixes, alphabet of what follows, its least length, its greatest length (0: any)
TOKENS: tuple[tuple[str, tuple[str, ...], str, int, int], ...] = (
    ("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), "upper", 16, 17),
    ("aws-session-token", ("FwoGZXIvYXdz", "FQoGZXIvYXdz", "IQoJb3JpZ2lu"), "base64", 60, 0),
    ("aws-bedrock-key", ("ABSK", "bedrock-api-key-"), "base64", 60, 0),
    ("gcp-api-key", ("AIza",), "word", 30, 0),
    ("gcp-oauth", ("GOCSPX-", "ya29.", "1//0"), "dotted", 20, 0),
    ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), "alnum", 16, 0),
    ("github-token", ("github_pat_",), "word", 20, 0),
    ("gitlab-token", ("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "glwt-", "GR1348941", ), "dotted", 16, 0),
    ("atlassian-token", ("ATATT3", "ATSTT3", "ATCTT3", "ATBB"), "base64", 24, 0),
    ("slack-token", ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-"), "dotted", 16, 0),
    ("slack-token", ("xoxe.xoxp-", "xoxe.xoxb-", "xapp-"), "dotted", 16, 0),
    ("stripe-key", ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"), "alnum", 10, 0),
    ("webhook-secret", ("whsec_",), "base64", 20, 0),
    ("anthropic-key", ("sk-ant-",), "word", 16, 0),
    ("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sess-"), "word", 20, 0),
    ("openrouter-key", ("sk-or-",), "word", 20, 0),
    ("openai-key", ("sk-",), "word", 24, 0),
    ("huggingface-token", ("hf_", "api_org_"), "alnum", 24, 0),
    ("langsmith-key", ("lsv2_pt_", "lsv2_sk_"), "word", 24, 0),
    ("nvidia-key", ("nvapi-",), "word", 32, 0),
    ("perplexity-key", ("pplx-",), "alnum", 32, 0),
    ("tavily-key", ("tvly-",), "word", 20, 0),
    ("jina-key", ("jina_",), "word", 32, 0),
    ("runpod-key", ("rpa_",), "alnum", 32, 0),
    ("replicate-token", ("r8_",), "alnum", 32, 0),
    ("groq-key", ("gsk_",), "alnum", 40, 0),
    ("fireworks-key", ("fw_",), "alnum", 20, 0),
    ("cerebras-key", ("csk-",), "alnum", 40, 0),
    ("together-key", ("tgp_v1_",), "word", 30, 0),
    ("figma-token", ("figd_", "figdr_"), "word", 24, 0),
    ("render-key", ("rnd_",), "alnum", 24, 0),
    ("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"), "word", 24, 0),
    ("tailscale-key", ("tskey-",), "word", 20, 0),
    ("contentful-token", ("CFPAT-",), "word", 30, 0),
    ("honeycomb-key", ("hcaik_", "hcxik_", "hcalk_", "hcxlk_", "hcamk_"), "alnum", 30, 0),
    ("dropbox-token", ("sl.B", "sl.u."), "dotted", 60, 0),
    ("paddle-key", ("pdl_live_apikey_", "pdl_sdbx_apikey_"), "word", 30, 0),
    ("resend-key", ("re_",), "word", 28, 0),
    ("crates-token", ("cio",), "alnum", 32, 32),
    ("npm-token", ("npm_",), "alnum", 30, 0),
    ("pypi-token", ("pypi-AgE",), "word", 30, 0),
    ("rubygems-key", ("rubygems_",), "hex", 32, 0),
    ("clojars-token", ("CLOJARS_",), "alnum", 40, 0),
    ("docker-token", ("dckr_pat_", "dckr_oat_"), "word", 20, 0),
    ("jfrog-token", ("AKCp",), "alnum", 50, 0),
    ("jfrog-token", ("cmVmdGtu", "cmVmd"), "alnum", 50, 0),
    ("nuget-key", ("oy2",), "alnum", 43, 43),
    ("twilio-key", ("SK",), "hex", 32, 32),
    ("sendgrid-key", ("SG.",), "dotted", 40, 0),
    ("mailgun-key", ("key-",), "hex", 32, 32),
    ("brevo-key", ("xkeysib-", "xsmtpsib-"), "word", 40, 0),
    ("newrelic-key", ("NRAK-", "NRII-", "NRJS-", "NRAA-", "NRRA-", "NRIQ-"), "word", 16, 0),
    ("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"), "hex", 24, 0),
    ("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), "hex", 32, 0),
    ("digitalocean-key", ("DO00",), "upper", 16, 16),
    ("heroku-key", ("HRKU-",), "word", 30, 0),
    ("vault-token", ("hvs.", "hvb.", "hvr."), "word", 20, 0),
    ("doppler-token", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."), "dotted", 30, 0),
    ("databricks-token", ("dapi",), "hex", 32, 32),
    ("linear-key", ("lin_api_", "lin_oauth_"), "alnum", 24, 0),
    ("notion-token", ("ntn_",), "alnum", 30, 0),
    ("notion-token", ("secret_",), "alnum", 43, 43),
    ("postman-key", ("PMAK-", "PMAT-"), "word", 24, 0),
    ("sentry-token", ("sntryu_", "sntrys_", "sntrya_"), "base64", 32, 0),
    ("supabase-key", ("sbp_", "sb_secret_"), "word", 20, 0),
    ("netlify-token", ("nfp_",), "alnum", 30, 0),
    ("flyio-token", ("fo1_", "fm1a_", "fm1r_", "fm2_"), "base64", 40, 0),
    ("planetscale-token", ("pscale_tkn_", "pscale_oauth_", "pscale_pw_"), "dotted", 24, 0),
    ("neon-key", ("napi_",), "alnum", 32, 0),
    ("grafana-token", ("glc_", "glsa_"), "base64", 32, 0),
    ("dynatrace-token", ("dt0c01.", "dt0s01.", "dt0s16."), "dotted", 60, 0),
    ("posthog-key", ("phx_", "phs_"), "alnum", 30, 0),
    ("sonar-token", ("squ_", "sqp_", "sqa_"), "hex", 40, 40),
    ("snyk-token", ("snyk_uat.",), "dotted", 20, 0),
    ("circleci-token", ("CCIPAT_", "CCIPRJ_"), "word", 24, 0),
    ("buildkite-token", ("bkua_", "bkat_"), "alnum", 32, 0),
    ("pulumi-token", ("pul-",), "hex", 40, 40),
    ("prefect-key", ("pnu_", "pnb_"), "alnum", 30, 0),
    ("readme-key", ("rdme_",), "alnum", 60, 0),
    ("infracost-key", ("ico-",), "alnum", 32, 32),
    ("octopus-key", ("API-",), "upper", 25, 36),
    ("sourcegraph-token", ("sgp_",), "word", 40, 0),
    ("adobe-secret", ("p8e-",), "word", 30, 0),
    ("alibaba-key", ("LTAI",), "alnum", 12, 24),
    ("duffel-token", ("duffel_live_", "duffel_test_"), "base64", 30, 0),
    ("easypost-key", ("EZAK", "EZTK"), "alnum", 50, 0),
    ("shippo-token", ("shippo_live_", "shippo_test_"), "alnum", 30, 0),
    ("facebook-token", ("EAAC", "EAAM", "EAAG", "EAAB"), "alnum", 60, 0),
    ("square-token", ("sq0atp-", "sq0csp-", "sq0idp-"), "word", 20, 0),
    ("square-token", ("EAAA",), "word", 40, 70),
    ("flutterwave-key", ("FLWSECK-", "FLWSECK_TEST-"), "word", 12, 0),
    ("razorpay-key", ("rzp_live_", "rzp_test_"), "alnum", 14, 0),
    ("frameio-token", ("fio-u-",), "base64", 40, 0),
    ("typeform-token", ("tfp_",), "dotted", 40, 0),
    ("scalingo-token", ("tk-us-",), "word", 40, 0),
    ("intra42-secret", ("s-s4t2ud-", "s-s4t2af-"), "hex", 40, 0),
    ("settlemint-token", ("sm_aat_", "sm_pat_", "sm_sat_"), "alnum", 16, 0),
    ("defined-networking-token", ("dnkey-",), "base64", 60, 0),
    ("openshift-token", ("sha256~",), "word", 40, 0),
    ("yandex-key", ("AQVN",), "word", 35, 0),
    ("yandex-key", ("y0_",), "word", 50, 0),
    ("e2b-key", ("e2b_",), "hex", 40, 40),
    ("firecrawl-key", ("fc-",), "hex", 32, 32),
    ("trigger-key", ("tr_dev_", "tr_prod_", "tr_stg_"), "alnum", 20, 0),
    ("inngest-key", ("signkey-prod-", "signkey-test-"), "alnum", 32, 0),
    ("cal-key", ("cal_live_",), "alnum", 24, 0),
    ("astra-token", ("AstraCS:",), "dotted", 30, 0),
    ("1password-token", ("ops_eyJ",), "base64", 60, 0),
    ("1password-key", ("A3-",), "dashed", 30, 36),
    ("age-key", ("AGE-SECRET-KEY-1", "AGE-PLUGIN-"), "dashed", 40, 0),
)  # fmt: skip

# kind, lower-case words one of which the text must hold, expression (group 1 is the secret, else the whole match),
# least entropy in bits per character. Every repetition is bounded or cannot overlap its neighbour: linear time.
SHAPES: tuple[tuple[str, tuple[str, ...], str, float], ...] = (
    ("jwt", ("eyj",), r"(?<![A-Za-z0-9_-])eyJ[\w-]{8,}(?:\.[\w-]{4,}={0,2}){1,4}\.?", 3.0),
    ("jwt", ("zxlk",), r"(?<![A-Za-z0-9_+/-])ZXlK[A-Za-z0-9+/_-]{40,}={0,2}", 3.0),
    ("grafana-token", ("eyjrijoi",), r"(?<![A-Za-z0-9_-])eyJrIjoi[A-Za-z0-9]{40,}={0,3}", 3.0),
    ("slack-webhook", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/-]{16,})", 2.5),
    ("discord-webhook", ("/api/webhooks/",), r"/api/webhooks/\d{8,25}/([\w-]{20,120})", 2.5),
    ("teams-webhook", ("office.com/webhook",), r"office\.com/webhook(?:b2)?/([\w@/-]{30,400})", 2.5),
    ("airtable-token", ("pat",), r"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![0-9a-f])", 2.5),
    ("clickup-token", ("pk_",), r"(?<![A-Za-z0-9])pk_\d{5,10}_[A-Z0-9]{32}(?![A-Z0-9])", 2.5),
    ("hubspot-token", ("pat-",), r"(?<![A-Za-z0-9])pat-[a-z]{2}\d-[0-9a-f]{8}-[0-9a-f-]{27}", 2.5),
    ("link", ("magic", "reset", "invit", "verify", "confirm", "activat"), r"(?i)://[^\s\"'<>/]{3,80}/(?:[\w-]{1,20}/){0,3}(?:magic|reset|invite|invitation|verify|confirm|activate)[\w-]{0,20}[/=?](?:[\w-]{1,12}[/=]){0,2}([\w-]{20,200})(?![\w-])", 3.0),  # whoever has it is in
    ("recovery-key", ("0-", "1-", "2-", "3-", "4-"), r"(?<![\d-])\d{6}(?:-\d{6}){7}(?![\d-])", 2.0),
    ("wallet-key", ("xprv", "nsec1"), r"(?<![A-Za-z0-9])(?:[xyz]prv[A-Za-z0-9]{100,120}|nsec1[a-z0-9]{58})(?![A-Za-z0-9])", 2.5),
    ("wallet-key", ("privkey", "wif", "bitcoin", "wallet"), r"(?<![A-Za-z0-9])[5KL][A-Za-z0-9]{50,51}(?![A-Za-z0-9])", 2.5),
    ("encoded-secret", ("eyj",), r"(?<![\w,+/-])eyJ(?!2ZXJz)[\w+/-]{80,}={0,2}", 3.0),
    ("app-password", ("passw", " -p ", "login", "app"), r"(?<![\w-])[a-z]{4}(?:-[a-z]{4}){3}(?![\w-])", 2.5),
    ("cookie", ("warning:-do-not-share",), r"_\|WARNING:-DO-NOT-SHARE[^|\n]{0,200}\|_([0-9A-Za-z]{60,2000})", 2.5),
    ("chat-token", ("oauth:", "ntfy.sh/"), r"(?:\boauth:|ntfy\.sh/)(\w{12,40})", 2.5),
    ("api-key", ("key", "salt", "macaroon", "legacy", "appid", "secret", "oauth", "accounts", "psk", "ntlm", "certificate", "token", "nthash"), r"(?i)(?:keys?|salt|macaroon|s[02]_[a-z]{3,20}|appid|secret[ _]?id|oauth[\w.-]{0,40}|accounts|psk|ntlm|nthash|certificate|token)\b(?<!cache.key)(?<!public.key)(?<!pub.key)(?<!object.key)(?<!sort.key)(?<!mary.key)(?<!eign.key)(?<!ency.key)(?<!gate.key)(?<!cachekey)(?<!publickey)" r"(?!s? (?:digest|sum|file))(?:(?!\b(?:hash|sha\d*|commit|digest|md5|checksum|fingerprint|id|public|cache|rev)\b)[^\n]){0,32}?(?<![\w/.@-])(?:\d{1,8}:)?([0-9a-f]{32,200}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-]|\.\w)", 2.5),  # a hash by its looks, a key by what is said before it
    ("password-hash", ("{sha", "{ssha", "aad3b4"), r"(?i)(?:\{s?sha\d{0,3}\}([A-Za-z0-9+/]{20,}={0,2})|aad3b435b51404eeaad3b435b51404ee:([0-9a-f]{32}))", 2.5),
    ("otp-secret", ("otp", "2fa", "mfa", "authenticator", "setup", "manual", "secret"), r"(?<![A-Za-z0-9])(?=[A-Z2-7 ]{0,40}[2-7])((?:[A-Z2-7]{4}[ -]){3,7}[A-Z2-7]{4}|[A-Z2-7]{16,64})(?![A-Za-z0-9])", 2.8),
    ("generated-secret", ("rand", "pwgen", "token_", "password", "secret", ".key", "cookie", "token", "uuidgen"), r"(?im)^[^\n]{0,120}(?:openssl rand|pwgen|token_(?:hex|urlsafe)|passwor[dt]|secret|\.key|cookie|token)\b[^\n]{0,60}\n[>\s\"'b]{0,4}((?=\S{0,60}\d)[\w+/=.!#%&*?-]{12,128})[\"']?[ \t]*$", 2.8),  # the line that a program prints whose work it is
    ("link", ("hook", "ping", "trigger", "deploy", "/inputs/", "secret", "invite", "join", "notify", "share", "discord.gg", "t.me/", "we.tl", "rtmp", "#", "/token/"), r"(?i)://(?=[^\s\"'<>]{0,160}(?:hook|ping|trigger|deploy|/inputs/|secret|invite|join\.|notify|/share|discord\.gg|t\.me/\+|we\.tl/t-|rtmp|/token/|[/?][\w-]{0,20}\#))[^\s\"'<>?]{3,160}?[/=+\#-](?:t-|zt-)?((?=[\w-]{0,60}\d)(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=/?)|[0-9a-f]{24,64}|[a-z0-9]{20,64}|(?-i:(?=[\w-]{0,40}[a-z])(?=[\w-]{0,40}[A-Z])[\w-]{10,80})|(?:[a-z0-9]{4}-){3,5}[a-z0-9]{4}))(?![\w/.=-])", 2.5),
    ("zapier-webhook", ("hooks.zapier.com",), r"hooks\.zapier\.com/hooks/catch/([\w/-]{8,100})", 2.0),
    ("discord-token", ("discord", "bot", "token", "."), r"(?<![\w-])[MNO][\w-]{22,30}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])", 3.5),
    ("telegram-token", (":aa",), r"(?<!\d)\d{8,12}:AA[\w-]{30,40}", 3.0),
    ("azure-secret", ("q~",), r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{30,40}", 3.0),
    ("azure-key", ("+ast",), r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{60,90}\+ASt[A-Za-z0-9+/]{4,10}={0,2}", 3.0),
    ("azure-key", ("azfu",), r"(?<![\w-])[\w-]{36,50}AzFu[\w-]{4,10}={0,2}", 3.0),
    ("mailchimp-key", ("-us",), r"(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}(?![0-9a-z])", 2.5),
    ("mailgun-key", ("mailgun",), r"(?<![0-9a-f])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f])", 2.5),
    ("newrelic-key", ("nral",), r"(?<![0-9A-Za-z])[0-9A-Za-z]{36}NRAL(?![0-9A-Za-z])", 2.5),
    ("terraform-token", (".atlasv1.",), r"(?<![A-Za-z0-9])[A-Za-z0-9]{10,20}\.atlasv1\.[\w=-]{40,90}", 3.0),
    ("vault-token", ("vault",), r"(?<![\w.])s\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![A-Za-z0-9])", 3.0),
    ("maxmind-key", ("_mmk",), r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", 3.0),
    ("harness-token", ("pat.", "sat."), r"(?<!\w)[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", 3.0),
    ("facebook-token", ("facebook", "fb_", "graph."), r"(?<!\d)\d{15,16}(?:\||%7C)[\w-]{27,40}", 3.0),
    ("twitter-token", ("aaaaaaaaaaaaaaaaaaaa",), r"(?<!A)A{20,30}[A-Za-z0-9%]{40,120}", 2.5),
    ("yandex-token", ("t1.",), r"(?<![\w.-])t1\.[\w-]{10,200}={0,2}\.[\w-]{60,100}={0,2}", 3.0),
    ("plaid-token", ("access-",), r"access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}", 2.5),
    ("launchdarkly-key", ("sdk-", "mob-", "api-"), r"(?<![\w-])(?:sdk|mob|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", 2.5),
    ("zoho-token", ("1000.",), r"(?<!\d)1000\.[0-9a-f]{32}\.[0-9a-f]{32}", 2.5),
    ("asana-token", ("asana",), r"(?<!\d)[0-9]/\d{14,18}(?:/\d{10,18})?:[0-9a-f]{32}", 2.5),
    ("paypal-token", ("access_token$",), r"access_token\$(?:production|sandbox)\$[\w$]{20,120}", 2.5),
    ("authress-key", (".acc_", ".acc-"), r"(?<![A-Za-z0-9])(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}" r"\.[\w+/=-]{30,120}", 2.5),
)  # fmt: skip

# Places where only a credential has business: kind, lower-case words one of which the text must hold, expression whose
# first group is the credential.
SECRET_PLACES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("code", ("pin ", "pin:", "pin=", "pin_", "puk", "otp", "tan ", "keypad", "combination", "cvv", "cvc", "code ", "code:", "code=", "codes", "código"), r"(?i)(?<![a-z])(?:pin|puk|otp|i?tan(?: \d{1,3})?|cv[vc]2?|keypad|combination|(?:verification|unlock|one[- ]time|[2m]fa|door|gate|alarm|box|pairing|setup|recovery|backup|access|security|entry|pass)[ -]?codes?|zugangscode|code d[eu] \w{1,20}|código de \w{1,20}|(?<!exit )(?<!status )(?<!error )(?<!zip )code(?=,? (?:is|c'est|est|ist|es|lautet) \d{4})|PIN_\w{1,40})" r"(?:\s(?:for|of|to|at|für|de|del|du)\s[\w'./ -]{1,40}?)?(?:(?:\s?[:=]|\s(?:is|was|lautet|ist|c'est|est|es))\s{0,3}[\"'(]?(?=[\d -]{3,11}(?!\d))|[ \t]{1,3}(?=(?:\d\d){2,4}\b|\d{3}\b)|\s{1,3}(?=\d{6}(?:\d\d)?\b))(\d{3}-\d{2}-\d{3}|\d{3,4}[- ]\d{3,4}|\d{3,8}|\d{11})(?![\w:/-]|[.,]\d|\s?(?:ms|bytes|chars|digits|times|px)\b)"),
    ("header", ("-key:", "-token:", "-secret:", "-auth:"), r"(?im)^\s{0,8}(?!\S{0,40}(?:cache|surrogate|idempotency|websocket|sort|partition|primary|foreign|public))[a-z]{1,20}(?:-[a-z]{1,20}){1,5}-?(?<=key|ken|ret|uth):[ \t]{0,3}([A-Za-z0-9+/=_.~-]{24,400})\s*$"),
    ("basic-auth", ("curl", "wget"), r"(?:curl|wget)\b[^\n|;]{0,160}?\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,100}:([^\s\"'`]{1,200})"),
    ("password", ("login",), r"(?i)(?<!\S)login\s{1,40}\S{1,100}\s{1,40}(?:account\s{1,40}\S{1,100}\s{1,40})?password\s{1,40}(\S{1,200})"),  # .netrc
    ("password", (":5432:", ":5433:", ":*:", "pgpass"), r"(?<![\w.*:-])[\w.*-]{1,120}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*@-]{1,60}:((?:\\:|[^\s:\"'`,;<>]){4,200})(?![:\w])"),  # .pgpass
    # Passwords behind a short option, where the program has no other use for it.
    ("password", ("sshpass",), r"\bsshpass\s{1,4}-p\s{0,2}[\"']?([^\s\"']{3,200})"),
    ("password", ("mysql", "mariadb"), r"\b(?:mysql\w{0,12}|mariadb\w{0,12})\b[^\n|;]{0,200}?\s-p([^\s\"'-][^\s\"']{2,200})"),
    ("password", ("redis-cli", "valkey-cli"), r"\b(?:redis|valkey)-cli\b[^\n|;]{0,200}?\s(?:-a|--pass)\s{1,4}[\"']?([^\s\"']{3,200})"),
    ("password", ("login",), r"\b(?:docker|podman|helm registry|nerdctl|oras|az|oc)\s{1,4}login\b[^\n|;]{0,200}?\s-p\s{1,4}[\"']?([^\s\"']{3,200})"),
    ("password", ("mongo", "sqlcmd", "ldap", "smbclient", "curlftpfs"), r"\b(?:mongo(?:sh|dump|restore)?|sqlcmd|ldap\w{2,8})\b[^\n|;]{0,200}?\s-[pPw]\s{1,4}[\"']?([^\s\"'-][^\s\"']{2,200})"),
    ("password", ("smbclient", "%"), r"\bsmbclient\b[^\n|;]{0,200}?\s-U\s{0,4}[\"']?[^\s%\"']{1,80}%([^\s\"']{3,200})"),
    ("password", ("htpasswd",), r"\bhtpasswd\b[^\n|;]{0,80}?\s-\w{0,6}b\w{0,6}\s{1,4}\S{1,200}\s{1,4}\S{1,80}\s{1,4}[\"']?([^\s\"']{3,200})"),
    ("password", ("7z", "rar "), r"\b(?:7z[arz]?|rar|unrar)\s[^\n|;]{0,60}?-h?p([^\s\"'-][^\s\"']{2,60})"),
    ("password", ("zip -", "zip "), r"\b(?:un)?zip\s[^\n|;]{0,60}?-P\s{0,2}[\"']?([^\s\"'-][^\s\"']{2,200})"),
    ("password", ("securestring",), r"(?i)\bConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?[\"']([^\"'\n$]{3,200})"),
    ("password", ("storepass", "keypass"), r"(?<!\S)-(?:dest|src)?(?:store|key)pass\s{1,4}[\"']?([^\s\"'$:-][^\s\"']{2,60})"),
    ("password", ("psk",), r"(?i)(?<![a-z])psk\s{0,4}[=:]\s{0,4}[\"']?([^\s\"'$<{]{8,64})"),
    ("api-key", (" login ",), r"\b(?:wandb|cargo|railway|prefect cloud)\s{1,4}login\s{1,4}(?:--relogin\s{1,4}|--key\s{1,4})?([A-Za-z0-9_-]{20,200})"),
    ("twilio-token", ("client(",), r"\bClient\(\s{0,4}[\"']AC[0-9a-f]{32}[\"'],\s{0,4}[\"']([0-9a-f]{32})"),
    ("key-bytes", ("key", "secret"), r"(?i)(?:key|secret)\w{0,8}[\"'`]?(?:\[\d{0,3}\])?[ \t]{0,4}[:=][ \t]{0,4}[\[{]{1,2}\s{0,4}((?:(?:0x[0-9a-f]{1,2}|\d{1,3}),\s{0,4}){15,63}(?:0x[0-9a-f]{1,2}|\d{1,3}))"),
    ("seed", ("mnemonic", "phrase", "words", "wallet", "seed"), r"(?i)\b(?:mnemonic|(?:seed|recovery|secret|backup|wallet)[ _-](?:phrase|words)|wallet|seed)\b[^\n]{0,20}?[\s:=\"'(]((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])"),
    ("password", ("wlan", "wpa", "wi-fi", "wifi"), r"(?i)\b(?:wlan|wpa\d?|wi-?fi)\b[- ]?(?:(?:network )?(?:key|schlüssel|code|pass\w{0,8})\b)?\W{1,3}((?=\w{0,30}\d)[0-9A-F]{8,63}|\d{8,63})(?!\w)"),
    ("code", ("code", "setup"), r"(?<![\d-])(\d{3}-\d{2}-\d{3})(?![\d-])"),
    ("password", ("wlan", "wpa", "key", "schlüssel"), r"(?<!\d)(?<!\d )((?:\d{4} ){4}\d{4})(?! ?\d)"),
    ("card", ("3", "4", "5", "6"), r"(?<!\w)(?<!\d[ -])([3-6]\d{3} \d{4} \d{4} \d{4}|[3-6]\d{3}-\d{4}-\d{4}-\d{4})(?!\w|[ -]\d{4}|-\w)"),
    ("code", ("code", "cpin"), r"(?i)(?:\b[A-Z]-(\d{6}) is your|\b(\d{4,8}) is your [\w -]{1,40}code|\+CPIN=\"(\d{4,8}))"),
    ("password", ("pass:",), r"(?:-passin|-passout|-pass|-k)\s{1,4}[\"']?pass:([^\s\"']{3,200})"),
    ("password", ("auth plain", "auth login"), r"(?i)\bAUTH\s{1,4}(?:PLAIN|LOGIN)\s{1,4}([A-Za-z0-9+/]{12,400}={0,2})"),
    ("private-key", ('"kty"', "kty"), r"\\{0,4}[\"'](?:d|p|q|dp|dq|qi|k)\\{0,4}[\"']\s{0,4}:\s{0,4}\\{0,4}[\"']([\w-]{20,1000})"),
    ("private-key", ("private-lines",), r"Private-Lines:\s{0,3}\d{1,4}[\s\x1f]{1,4}([A-Za-z0-9+/=]{16,80}(?:[\s\x1f]{1,4}[A-Za-z0-9+/=]{16,80}){0,60})"),
    ("password-hash", ("$2", "$argon2", "$1$", "$5$", "$6$", "$y$", "$apr1$", "$scrypt", "pbkdf2_"), r"(\$(?:2[abxy]|argon2(?:id|i|d)|1|5|6|y|apr1|scrypt)\$[\w./$=,+-]{20,200}|pbkdf2_sha\d{1,3}\$\d{2,8}\$[\w./+=$-]{16,200})"),
    ("otp-secret", ("otpauth",), r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=([A-Za-z2-7]{12,128})"),
    ("seed", ("wireguard", "privatekey", "presharedkey"), r"(?i)\b(?:PrivateKey|PresharedKey)\s{0,4}=\s{0,4}([A-Za-z0-9+/]{42,43}={0,2})"),
)  # fmt: skip

# Places where a credential is likely: as above, but what stands there has to look the part (letters with digits or signs). The word for
# a password is one of many languages; what stands between it and the value is any of their words.
LIKELY_PLACES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("password", (" -u", " --user", " /user", " -d "), r"(?<!\S)(?:-[uUDl]|--?user(?:name)?|/user:?)[ =]?[^\s|;]{1,80}\s(?:[^\n|;]{0,80}?\s)?(?:-(?:p|P|w|pw|A|X|pass|passwd|password)|/r?p(?:ass)?(?:word)?)[: =]{0,2}[\"']?([^\s\"'|;]{5,80})"),  # any program's: a user, then a password
    ("password", (" -p ", " -pw "), r"\s-(?:p|P|pw)\s[\"']?([^\s\"'|;&:]{6,80})[\"']?\s[^\n|;&]{0,60}?(?<!\S)-[uUDr]\s"),
    ("password", ("ssh-keygen", "security ", "signtool", "certutil", "openssl", "snmp", "crypt", "rdp", "plink", "schtasks", "keytab", "ktutil"), r"(?i)\b(?:ssh-keygen|security|signtool|certutil|openssl|snmp\w{0,12}|\w{0,8}crypt\w{0,8}|\w{0,3}freerdp|plink|schtasks)\b[^\n|;]{0,160}?\s[-/](?:p|pw|n|k|a|x|c|w|rp)[: ]\s{0,2}[\"']?([^\s\"'|;]{5,80})"),
    ("password", ("auth", "cred", " -u", " -a", "login", "digest", "cert", "userpwd"), r"(?i)(?<![\w.-])(?:-[ual]|--?\w{0,12}-?(?:user|auth|creds|credentials|login|userpwd|cert)|login|digest)[ =][\"']?\w[\w.@\\/+-]{0,80}[:,%]([^\s\"'|;,]{5,100})"),  # a pair
    ("password", ("sql", "oracle", "impdp", "expdp", "rman"), r"(?i)\b(?:(?:sqlplus|sqlcl|sqlldr|rman|impdp|expdp|imp|exp)\s|thin:|oci:)(?:target |userid=|-\w{1,8} ){0,3}[\"']?[a-z]\w{0,30}/([^\s/@\"']{5,60})(?=@|\s|$|[\"'])"),
    ("password", ("@",), r"(?<![\w@.#])(?!npm|pkg|patch|workspace|file|sha\d|oci|brew|mas|cargo|pipx|asdf|aqua|ubi|git)[A-Za-z0-9][\w.+-]{1,40}:([^\s:/@\"'`<>(){}\[\],;|\\]{6,60})@(?=[A-Za-z0-9])"),
    ("password", ("echo", "printf", "<<<"), r"(?i)(?:\b(?:echo|printf)\s{1,4}(?:-n\s{1,4}|[\"']%s(?:\\n)?[\"']\s)?[\"']?(?:[\w.-]{1,40}:)?([^\s\"'|:=]{5,80})[\"']?[^\n|]{0,30}\|[^\n]{0,80}?(?:sudo\s-\w{0,4}S|pass|login|auth|kinit|crypt|gpg|unlock|stdin|secret|vault|connect)|(?:pass|login|auth|crypt|gpg|unlock|secret|vault)[^\n]{0,80}<<<\s{0,2}[\"']?([^\s\"']{5,80}))"),  # handed on: to a program that asks for it
    ("password", ("identified by", "nickserv", "d_user", "e_user", "adduser", "change_pass", "set_pass", "setpass", "net user", "+login", "ctl register", "> user", "unlock ", "http-basic", "/user:", "> auth ", "auth default", "isql ", "wpa_pass", "userstore set"), r"(?i)(?:\bidentified by|\bnickserv identify|\b(?:add|change|set)_?(?:user|password)\s\S{1,60}|\bnet user\s\S{1,60}|\+login\s\S{1,60}|\b\w{0,10}ctl register\s\S{1,60}\s\S{1,60}|\bLOGIN\s\S{1,60}@\S{1,60}|> user\s\S{1,60}|\bunlock|\bhttp-basic\.\S{1,60}\s\S{1,60}|" r"/user:\S{1,60}|\buser\s\S{1,40}\susing|(?-i:\bAUTH)(?: default)?|\bisql\s\S{1,40}\s\S{1,40}|\bwpa_passphrase\s\S{1,40}|\buserstore set\s\S{1,40}\s\S{1,60}\s\S{1,40})\s{1,4}[\"']?([^\s\"';]{5,80})"),  # a user and a password, one after the other
    ("password", ("login", "log_in", "signin", "sign_in", "connect", "auth", "begin", "database", "protect", "pwencode"), r"(?i)(?:log_?in|sign_?in|connect\w{0,10}|authenticate|auth|begin|database|protect|pwencode in)\s{0,2}[=(]{0,2}\(?\s{0,2}(?:[\w.]{0,20}=?[\"'][^\"'\n]{0,60}[\"'],\s{0,2}){0,3}[\w]{0,20}=?[\"']([^\"'\s]{6,60})[\"']\s{0,2}[);]"),  # the last argument of a call that logs in
    ("password", (" / ", "|"), r"(?i)\b(?:log-?in|creds|credentials|acc[eè]s(?:so|o)?|zugang\w{0,8}|konto|account|user|benutzer|usuario|identifiant|admin\w{0,10}|root|wifi|wlan|ssid|vpn)\b[^\n/]{0,60}\s/\s([^\s\"'`]{6,60})"),
    ("password", ("login", "creds", "cred", "zugang", "access", "acces"), r"(?i)\b(?:creds|credentials|log-?in|zugang\w{0,8}|acc[eè]s|acceso|access)\b[^\n]{0,40}?\s[a-z][\w.@-]{1,40}[:/]([^\s\"'`/:]{6,60})"),
    ("password", ("wifi:",), r"WIFI:[^\n]{0,100}?;?P:([^;\n]{4,63});"),
    ("password", ("password", "secret", "key", "md5"), r"(?i)\b(?:password|secret|key|md5)\s[05789]\s([^\s\"',;]{6,100})"),
    ("password", ("radius", "tacacs", "ospf", "secret", "passwd", "community", "psk", "neighbor", "authtok"), r"(?i)\b(?:(?:radius|tacacs|ospf)\b[^\n]{0,60}?\b(?:key|md5|secret)|(?<![\w-])(?:r[ow])?community|\w{0,12}psk\w{0,6}|authtok|passwd(?: ENC)?)[ \t]{0,3}[=:]?[ \t]{0,3}[\"']?([^\s\"';|]{5,100})"),
    ("password", ("eap ", "psk ", "xauth ", " *"), r"(?:\s:\s(?:EAP|PSK|XAUTH|PAP)\s[\"']?|^[\"']?[\w.@-]{1,40}[\"']?[ \t]{1,4}(?:\*|\"\w{2,12}\")[ \t]{1,4}[\"']?(?=\S{6,80}[ \t]{1,4}\*))([^\s\"';*]{6,80})"),
    ("password", ("wlan", "wifi", "wi-fi", "passord", "adgangskod", "jelsz", "sandi", "khẩu", "parol", "şifre", "sifre", "lozink", "geslo", "contrasenya", "slaptažod", "salasana", "heslo", "hasł", "κωδικ", "סיסמ", "كلمة", "رمز", "पासवर्ड", "รหัส", "парол", "гасло", "密", "授权码", "口令", "暗証", "パスワ", "비밀", "암호", "senha", "clave", "contrase", "wachtwoord", "lösenord", ), r"(?i)(?:passord|adgangskode|jelsz[oó]|kata sandi|sandi|mật khẩu|parol|[şs]ifre|lozink|geslo|contrasenya|slaptažod|salasana|heslo|hasł|κωδικ|סיסמ|كلمة|رمز|पासवर्ड|รหัส|гасло|密[码碼]|授权码|口令|暗証|パスワ|비밀|암호|senha|clave|contrase|wachtwoord|lösenord|wi-?fi|wlan)" r"[^\n=]{0,48}?(?<![!-~])([!-~]{6,64})(?<![.,;:)])"),  # in a sentence of some language
    ("session", ("sid=", "session=", "sess=", "sessionid=", "aspxauth="), r"(?i)(?:\b[\w.]{0,20}s(?:es)?s?(?:ion)?_?id|\b\w{0,12}session|\bsess|\.aspxauth)=([\w%.!+/=-]{16,400})"),
    ("token", ("pat=", "pat:", "pat =", "salt"), r"(?:(?<![A-Za-z])PAT|(?i:salt))[\"'\])]{0,3}\s{0,3}(?:=>?|:)\s{0,3}[\"']?([^\s\"'<>]{20,200})"),
    ("code", ("recovery", "backup", "scratch", "once", "code "), r"(?i)(?<![/\w-])(?:recovery|backup|scratch|codes?|once)(?![\w/-])[^\n]{0,60}?(?<![\w-])((?=[a-z]{0,5}\d)[a-z0-9]{4,6}-(?=[a-z]{0,5}\d)[a-z0-9]{4,6})(?![\w-])|(?<![\w-])((?=[a-z]{0,5}\d)[a-z0-9]{4,6}-(?=[a-z]{0,5}\d)[a-z0-9]{4,6})(?![\w-])[^\n]{0,30}\bcode"),
    ("app-password", ("passw", "login", "smtp", " -u"), r"(?i)(?:app[ -]?passw\w{2,6}\W{1,4}|(?:login|smtp)[^\n]{0,80}[\"']|-u [\w.@-]{1,60}:[\"']?)((?:[a-z0-9]{4} ){3,5}[a-z0-9]{4})(?![\w ])"),
    ("api-key", ("key=",), r"(?<![A-Za-z])[A-Z]{2,12}KEY=([A-Z0-9]{20,40})(?!\w)"),
    ("secret", ("-setcookie",), r"-setcookie\s{1,4}[\"']?(\w{8,80})"),
    ("secret", ("clear-text", "<value>"), r"(?i)(?:clear-text=[\"']|password\w{0,12}>\s{0,40}<value>)([^\s\"'<>]{5,100})"),
)  # fmt: skip

# ---- how a value that says nothing by itself is introduced

# The words, on lower-cased text. What surrounds one decides how much it says.
NAME_WORDS = (
    r"pass(?:[ _-]?(?:wor[dt]|wd|phrase|code))?|pwd?|kennwort|contrase(?:[ñn]|\\u00f1)a|mot[ _]de[ _]passe|motdepasse|mdp|"
    r"token|jeton|secret|geheimnis|key|schlüssel|clave|clé|credential|creds|auth"
)
# None of these in a text: no named secret in it, and nothing is compiled.
NAME_HINTS = (
    "pass", "pw", "kennwort", "contrase", "mdp", "token", "jeton", "secret", "geheimnis", "key", "schlüssel", "clave",
    "clé", "cred", "auth",
)  # fmt: skip

# The word for a password in further languages: asked apart, since a longer expression costs every text that holds one of the others.
FOREIGN_HINTS = tuple(
    "senha wachtw lösenord hasło heslo parola salasana adgangskode şifre парол 密 パスワ 비밀".split()
)
FOREIGN_WORDS = rf"{NAME_WORDS}|senha|wachtwoord|lösenordet|lösenord|hasło|heslo|parola|salasana|adgangskode|şifre|парол[ья]|密码|密碼|パスワード|비밀번호"

# What such a word says: 3 a password, 2 a token or key of some service, 1 possibly.
STRENGTH = {
    "pass": 3, "pw": 3, "pwd": 3, "mdp": 3, "kennwort": 3, "contraseña": 3, "contrasena": 3, "senha": 3, "wachtwoord": 3, "lösenord": 3, "lösenordet": 3, "hasło": 3,
    "heslo": 3, "parola": 3, "salasana": 3, "adgangskode": 3, "şifre": 3, "пароль": 3, "пароля": 3, "密码": 3, "密碼": 3, "パスワード": 3, "비밀번호": 3,
    "token": 2, "jeton": 2, "secret": 2, "geheimnis": 2, "credential": 2, "creds": 2, "clave": 2,
    "key": 1, "schlüssel": 1, "clé": 1, "auth": 1,
}  # fmt: skip

# Words that are verbs, or half a word, outside a name: `pass x to f`, `auth failed`.
ONLY_ASSIGNED = _words("pass pw pwd mdp auth creds")

# A line with one of these is about logging in: a random word in it, or in the line below, is what one logs in with.
LOGIN_HINTS = r"\b(?:api[_-]?keys?|secrets?|passwords?|passwd|passphrase|credentials?|log[ -]?in|sign[ -]?in|authenticat\w+|s?ftp|username|user|sudo -s|chpasswd|\w{0,20}connect\()(?!\w)|(?<!\w)-[up] "

# bypass, compass: words that end in "pass" and name no password, where requirepass and dbpass do.
NO_PASS = _words("by com over under sur tres encom multi single first second two one")

# "key" after one of these is a credential ...
KEY_OF = _words(
    """
    api access secret private signing signature encryption decryption master account auth shared sharedaccess deploy
    license service admin session client webhook hmac jwt crypto cipher storage subscription root bot write ingest app
    application integration rest consumer sas wallet deployer fernet aes rsa publish upload
    registration activation provisioning
    """
)
# A token after one of these is a credential, whatever else its name holds.
TOKEN_OF = _words(
    "auth access api secret bearer refresh session bot deploy service id personal private user app install registry push"
)
# ... and after one of these it is not.
KEY_NOT = _words(
    """
    primary foreign cache partition sort composite public pub object dict map row column idempotency dedup group
    registry hot shortcut translation message locale i18n s3 json yaml toml config redis storage_object query join
    index lookup routing event metric sub unique surrogate natural business sequence schema bucket any each per next
    first last other same this which return enter arrow escape tab modifier answer
    """
)
# Services whose keys look like nothing in particular.
VENDORS = _words(
    """
    adafruit airtable algolia amplitude anthropic asana auth0 aws azure bitbucket circleci cloudflare cloudinary codecov
    cohere coinbase confluent contentful datadog deepl digitalocean discord droneci dropbox elastic etsy facebook fastly
    finicity finnhub firebase flickr gcp github gitlab gitter google grafana heroku hetzner honeycomb hubspot intercom
    jfrog artifactory kraken kucoin launchdarkly linkedin lob mailchimp mailgun mapbox mattermost messagebird mistral
    mixpanel netlify newrelic nytimes okta openai opsgenie pagerduty plaid postmark pusher rapidapi segment
    sendbird sendgrid sentry shopify slack snyk sonar splunk squarespace stripe sumologic supabase telegram travis
    trello twilio twitch twitter typeform unsplash vercel wandb weatherapi yandex zendesk
    """
)
TOKEN_NOT = _words(
    """
    max min num total count input output prompt completion special eos bos pad unk mask next page continuation
    pagination sync cursor next_page per n_ lexer parser each csrf_header word stop design fungible cancellation
    """
)
# What follows the word in an identifier and makes it something else: token_type, password_file, secretName.
NAME_NOT = _words(
    """
    type types typ count counts limit limits length len size sizes name names id ids file files filename path paths dir
    directory url uri endpoint header headers field fields hash hashed hasher hashes hashing expiry expires expire
    expiration expired exp ttl timeout policy policies reset store stores storage parser parsers parse bucket buckets
    usage budget prefix suffix format regex pattern version provider providers manager managers helper index column
    error errors exception required valid validator validation validate validity min max label placeholder hint input
    source kind status state class method service rotation rotate ring chain board pair pairs map mapping space word
    ref refs references reference arn alias algorithm algo alg strategy strength score rules rule generator generate
    factory handler middleware client server user users username login owner issuer audience scope scopes schema model
    table row rows list set sets dict cache cached stream iterator iter idx offset position pos start end line lineno
    ization izer ized ize izers frame press up down code codes event events env var vars variable variables flag option
    param params parameter argument arg args config settings setting enabled disabled lifetime age date time timestamp
    created updated at in seconds minutes ms days rate price cost budgeted used left remaining per available auth flow
    page screen form view controller route router routes test tests spec specs fixture fixtures mock mocks
    """
)

# Verbs and marks between a word and its value, in English, German, Spanish, French.
LINKS = _words(
    """
    is was are were be been being equals to as = == := -> => → – - ist war lautet lautete heißt heisst auf es era será
    fue son a est était sera sont à vaut é è je jest är on er это
    """
)
# What may stand between the verb and the value.
FILLERS = _words(
    """
    now still just set changed reset rotated updated switched simply currently always actually to as the same again
    temporarily jetzt nun noch geändert gesetzt wieder auf immer ahora todavía cambiada cambiado puesta a en de nuevo
    maintenant toujours encore changé mis à
    """
)
SIGNS = _words("= == := -> => → – -")
# Before a short value in prose: "use token abc123", "mit Passwort ...".
USING = _words(
    "use uses used using with via try tried nutze benutze verwende mit usa use usar con utilise utiliser avec"
)
# A number before one of these is a size, not a password.
UNITS = _words(
    """
    bytes byte bits bit chars char characters character letters digits words seconds second minutes minute hours hour
    days day weeks months years ms s kb mb tokens times attempts requests rounds iterations entries rows items or and to
    zeichen stellen sekunden minuten stunden tage caracteres caractères segundos secondes
    """
)

# Values that stand for a value.
STAND_INS = _words(
    """
    password passwd passphrase passwort kennwort contraseña contrasena motdepasse pass pwd secret secrets token tokens
    key keys apikey api_key api-key username user login email admin root guest test testing tests tester foo bar baz qux
    none null nil undefined true false yes no on off empty blank string str text int integer bool boolean bytes any
    object number float optional required default hidden unset missing invalid valid wrong correct unknown value
    values changeme changeit change-me change_me letmein dummy fake mock sample placeholder todo tbd redacted masked
    removed censored secret123 password123 postgres mysql redis mongo localhost local dev development staging prod
    production live sandbox bearer basic digest oauth oauth2 jwt pending refresh access rotate rotated expired revoked
    generated random here it this that them these those not n/a na me my your our the a an self cls data body header
    query cookie session env environ config settings input prompt ask read auto manual static dynamic public private
    internal external plain plaintext hashed encrypted encoded strong weak short long new old current previous next
    same different another first second both either all each
    """
)
# Words of messages and labels, which no passphrase holds.
TALK = _words(
    """
    the your you must is a an to and or of in for be with not please enter forgot reset password passwort wrong invalid
    new confirm current old required
    """
)
# A value made of words, one of these among them, is the name of a secret.
SELF_NAMES = _words(
    "password passwd pass secret secrets token tokens key keys credentials auth apikey header name field bearer"
)
# Pieces that mark a stand-in wherever they occur in the value.
STAND_IN_PARTS = (
    "your", "example", "placeholder", "changeme", "change-me", "change_me", "redacted", "dummy", "xxxxx", "****",
    "....", "…", "••", "insert-", "insert_", "replace-", "replace_", "goes-here", "goes_here", "-here", "_here",
    "not-a-real", "not_a_real", "1234567890abcdef", "abcdefghijklmnop", "fake-", "fake_", "-fake", "_fake", "sample-",
    "test-key", "test_key", "test-token", "test_token", "test-secret", "test_secret", "mock-", "mock_",
)  # fmt: skip
# Technical terms with digits that follow "password is", "token uses" and the like.
TERMS = (
    r"(?:u?int|float|bigu?int)[0-9]+(?:clamped)?array|sha-?[0-9]+|sha[0-9]-[0-9]+|hmac-?sha-?[0-9]+|md[0-9]|base-?(?:16|32|58|62|64)(?:url)?|utf-?(?:8|16|32)|argon2(?:id|i|d)?|"
    r"bcrypt|scrypt|pbkdf2|aes(?:-?[0-9]{3}(?:-[a-z0-9]{2,8}){0,3})?|[rhep]s(?:256|384|512)|ed25519|x25519|curve25519|secp256\w*|rsa-?[0-9]+|"
    r"oauth-?[12](?:\.0)?|http/?[0-9.]+|x\.?509|s3|k8s|i18n|ipv[46]|python-?[0-9.]+|py[0-9.]+|node-?[0-9.]+|"
    r"v[0-9]{1,3}(?:[.-][0-9a-z]{1,8}){0,4}|p12|pkcs#?[0-9]+|tls-?v?[0-9.]+|win(?:32|64)|x86(?:_64)?|amd64|arm64|ec2|saml-?2(?:\.0)?|"
    r"fido2|u2f|2fa|mfa|1password|auth0|neo4j|log4j|h2|es(?:5|6|20[0-9]{2})|iso-?[0-9-]+|rfc-?[0-9]+|cve-[0-9-]+|"
    r"[0-9]+(?:st|nd|rd|th)|[0-9]+(?:ms|s|m|h|d|kb|mb|gb|k|x|px|%)|#[0-9]+|[0-9]+-[a-z]+(?:-[a-z]+)*"
)

# Prefixes of identifiers that look like tokens and are none.
ID_PREFIXES = _words(
    """
    agent msg toolu srvtoolu req request resp response call run step thread asst file batch chatcmpl cmpl gen evt
    event cus cust customer pi ch sub in inv prod price plan acct txn tx order ord job task build dep deploy
    deployment trace span session conv conversation user usr org team proj project ws env app wf workflow exec img
    image vol snap ami sg vpc subnet rtb igw eni eipalloc pod node cluster rs sha1 sha224 sha256 sha384 sha512 md5
    blake2b blake3 h1 urn uuid id etag chunk main vendor index bundle css js part block commit tree hash digest nonce
    test tests case spec fixture snapshot page item obj doc note comment issue pr release tag branch ssh ecdsa ed25519
    rsa x64 arm64 linux darwin win32 manylinux cp cp310 cp311 cp312 cp313 py py3 lib npm yarn pnpm cache tmp temp log
    backup pk pub public anon phc
    """
)
# Parts of a prefix that make even a plain body a credential.
SECRET_PARTS = _words("sk key tok token secret pat live prod priv private auth api apikey cred svc sa rk")

# Cookies that carry nothing secret; any other value of a cookie that looks random does.
HARMLESS_COOKIES = _words(
    "path domain expires max-age samesite secure httponly partitioned priority theme lang locale tz consent"
)

# Names of parameters in a URL whose value grants access.
URL_PARAMETERS = (
    r"sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|x-goog-credential|x-ms-signature|"
    r"awsaccesskeyid|hmac|jwt|sid|code|otp|key|auth|hash_key|st|ticket|assertion|saml(?:response|request)|"
    r"policy|key-pair-id"
)

# ---- what nothing announces

# Random words: the least length, the signs of which a text without so many in a row holds none, the word, whether it has capitals, small letters and digits (or two of them).
OPAQUE: tuple[tuple[int, str, str, bool], ...] = (
    (12, r"[A-Za-z0-9!#%+]", r"(?<![\w+.%#/-])(?=[A-Za-z!#%+]{0,63}[0-9])[A-Za-z0-9!#%+]{12,64}(?![\w+/=%.-]|://)", True),
    (15, r"/[A-Za-z0-9]", r"://[^\s\"'`<>]{3,120}?/([A-Za-z0-9]{15,64})(?![\w+=%.-])", True),  # in the path of an address
    (24, r"[A-Za-z0-9_-]", r"://[^\s\"'`<>]{3,120}?/([A-Za-z0-9_-]{24,64})(?![\w+=%.-])", True),
    (32, r"[A-Za-z0-9_-]", r"(?<![\w+.%#/-])(?=[A-Za-z_-]{0,63}[0-9])[A-Za-z0-9_-]{32,64}(?![\w+/=%.-])", True),
    (40, r"[A-Za-z0-9+/]", r"(?<![\w+.%#/-])[A-Za-z0-9+/]{40,90}={0,2}(?![\w+/=%.-])", True),
    (20, r"[a-z0-9]", r"(?<![\w+.%#/-])(?=[a-z0-9]{0,63}[g-z])[a-z0-9]{20,64}(?![\w+/=%.-])", False),
    (16, r"[A-Z0-9]", r"(?<![\w+.%#/-])(?=[A-Z0-9]{0,63}[G-Z])[A-Z0-9]{16,64}(?![\w+/=%.-])", False),
)  # fmt: skip
# What everybody may see, where it is called so right before: `"etag": "…"`, `h1:…`, `commit …`, `node_id=…`.
PUBLIC_NAMES = (
    r"(?:\b|_)(?:\w{0,20}id|h1|r1|\w{0,12}hash|\w{0,12}sum|sha\d{0,3}|etag|digest|integrity|commit|revision|rev|cid|address|addr|fingerprint|nonce|cursor|"
    r"public ?key|pubkey|version|tag|ref|uuid|guid|checksums?|thumbprint|signature|image|blob|tree|node|build|chunk|asset|font|d|path)"
    r"[\"'`\])]{0,2}\s{0,2}[:=(\s]\s{0,2}[\"'`(]{0,2}$"
)
CHAIN_KEY = r"key|wallet|signer|deployer|private|account|mnemonic|secret"
CHAIN_HASH = r"hash|\btx|transaction|block|root|topic|commit|address|public"
