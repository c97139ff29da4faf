/** A literal secret inside a text; `label` when the text itself names it, as a URL parameter does. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly label?: string
}

/** The literal secrets in a text that stands under a name (variable, header, flag), in order and without overlaps. */
export function secretSpans(name: string, text: string): readonly Span[] {
  const placeholders = placeholderSpans(text)
  const found = [
    ...knownTokens(text),
    ...credentials(text),
    ...urlParts(text),
    ...(isSecretName(name) ? namedSecret(name, text) : []),
  ]
  return withoutOverlaps(
    found.filter(
      (span) => isLiteral(text.slice(span.start, span.end)) && !placeholders.some((other) => doOverlap(span, other)),
    ),
  )
}

/** Whether a variable, header, flag or parameter of this name usually holds a secret. */
function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
  if (aboutSecrets.test(words)) return false
  return secretAnywhere.test(words) || secretAtTheEnd.test(words)
}

const secretAnywhere =
  /(?:^|_)(?:token|secret|password|passwd|passphrase|apikey|authorization|(?:api|access|private|secret)_key)(?:_|$)/
// Too common inside other names: PASS_THROUGH, KEY_PREFIX, COOKIE_DOMAIN.
const secretAtTheEnd = /(?:^|_)(?:tokens|secrets|pass|pwd|pat|keys?|apikeys|credentials?|cookies?|bearer|jwt)(?:_\d+)?$/
// They say where a secret is or how it is treated, not what it is.
const aboutSecrets =
  /_(?:file|path|dir|url|uri|endpoint|host|domain|name|id|type|mode|method|scheme|env|var|ttl|expiry|lifetime|limit|count|length|size|header|policy|prefix|provider|issuer|audience|algorithm|store|backend)$/

// What the issuers of tokens start them with; each needs enough behind it that a word cannot match by chance.
const tokenForms: readonly RegExp[] = [
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_\w{16,}/g,
  /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w-]{16,}/g,
  /\b(?:sk|rk|pk|ctx7sk|pplx|tvly|fc|r8|gsk|nvapi|xai|csk|dsk|re)[-_](?=[\w-]*\d)[\w-]{16,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bxapp-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA|AROA)[A-Z0-9]{12,}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{16,}/g,
  /\bGOCSPX-[\w-]{16,}/g,
  /\b(?:hf|npm|sbp|shpat|shpss|figd|ntn|secret|lin_api|lin_oauth|dckr_pat|dop_v1|doo_v1|pscale_tkn|pul|whsec|phc|phx|apify_api|sntrys|sntryu|atp)_(?=\w*\d)[\w-]{16,}/g,
  /\bpypi-[\w-]{16,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\bATATT[\w-]{16,}=?/g,
  /\bPMAK-[\w-]{16,}/g,
  /\bglsa_\w{16,}/g,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g,
]

function knownTokens(text: string): readonly Span[] {
  return tokenForms.flatMap((form) => [...text.matchAll(form)].map((match) => spanOf(match.index, match[0])))
}

function credentials(text: string): readonly Span[] {
  return [...text.matchAll(/\b(?:Bearer|Basic|Token|ApiKey)\s+([^\s"',;}]{8,})/gi)]
    .filter((match) => /^Bearer/i.test(match[0]) || hasDigitsAndLetters(match[1] ?? ''))
    .map((match) => spanOf(match.index + match[0].length - (match[1] ?? '').length, match[1] ?? ''))
}

/** Passwords, secret parameters and keys in the path of the URLs in a text (database addresses among them). */
function urlParts(text: string): readonly Span[] {
  return [...text.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi)].flatMap((match) => {
    const [url] = match
    const inUrl = [...passwordIn(url), ...parametersIn(url), ...pathKeysIn(url)]
    return inUrl.map((span) => spanOf(span.start + match.index, url.slice(span.start, span.end), span.label))
  })
}

function passwordIn(url: string): readonly Span[] {
  const match = /^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*:)([^/?#]+)@/i.exec(url)
  return match === null ? [] : [spanOf((match[1] ?? '').length, match[2] ?? '', 'password')]
}

function parametersIn(url: string): readonly Span[] {
  return [...url.matchAll(/[?&;#]([\w.-]+)=([^&;#]+)/g)]
    .filter(([, name = '', value = '']) => isSecretName(name) && !isPlainWord(value))
    .map((match) => spanOf(match.index + match[0].length - (match[2] ?? '').length, match[2] ?? '', match[1]))
}

// Some services hand out one private address per person: the key is a path segment.
function pathKeysIn(url: string): readonly Span[] {
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url)
  const from = path === null ? 0 : path[0].length - (path[1] ?? '').length
  return [...(path?.[1] ?? '').matchAll(/[^/]+/g)]
    .filter(([segment]) => segment.length >= 32 && isRandom(segment))
    .map((match) => spanOf(from + match.index, match[0], 'url_key'))
}

function namedSecret(name: string, text: string): readonly Span[] {
  const value = text.trim().replace(/^(?:Bearer|Basic|Token|ApiKey)\s+/i, '')
  if (/:\/\//.test(value) || isPath(value) || isPlainWord(value)) return []
  const holdsAnything = /pass|pwd|secret|authorization|cookie/i.test(name)
  return holdsAnything || (value.length >= 8 && !/\s/.test(value)) ? [spanOf(text.lastIndexOf(value), value)] : []
}

/** False for placeholders (`${…}`, `{env:…}`, `$NAME`) and for the stand-ins of documentation. */
function isLiteral(value: string): boolean {
  if (value === '' || /\$\{|\{(?:env|file):|^\$[A-Za-z_]|^%\w+%$/.test(value)) return false
  return !/^<.*>$|^\[.*\]$|^[x*.•…-]+$|your[-_ ]?|(?:^|[-_])(?:changeme|change[-_]me|placeholder|example|replace[-_]?me|redacted|insert)(?:[-_]|$)/i.test(
    value,
  )
}

function isPlainWord(value: string): boolean {
  return /^(?:true|false|null|none|yes|no|on|off|auto|default|\d{1,9})?$/i.test(value)
}

function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?[/\\][\w.-]+(?:[/\\]|$|\.)|^[A-Za-z]:[/\\]/.test(value) && !/[+=]/.test(value)
}

/** A key, not words: long hex, many digits among letters of one case, or both cases with digits and no words between dashes. */
function isRandom(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '').length
  if (/^[0-9a-z]+$/i.test(value) && digits >= 5) return true
  return (
    digits >= 3 && /[a-z]/.test(value) && /[A-Z]/.test(value) && /^[\w-]+={0,2}$/.test(value) && entropyBits(value) > 4
  )
}

function hasDigitsAndLetters(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value)
}

function entropyBits(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce(
    (bits, count) => bits - (count / value.length) * Math.log2(count / value.length),
    0,
  )
}

/** The names in `${NAME}` and `${NAME:-default}`, which may look like tokens; the default may be one. */
function placeholderSpans(text: string): readonly Span[] {
  return [...text.matchAll(/\$\{(?:(?!:-)[^}])*/g)].map((match) => spanOf(match.index, match[0]))
}

function doOverlap(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end
}

function spanOf(start: number, value: string, label?: string): Span {
  return { start, end: start + value.length, ...(label === undefined ? {} : { label }) }
}

/** The longest wins, so that a whole header value is not cut where a known prefix ends. */
function withoutOverlaps(spans: readonly Span[]): readonly Span[] {
  const kept: Span[] = []
  for (const span of spans.toSorted((a, b) => b.end - b.start - (a.end - a.start))) {
    if (!kept.some((other) => doOverlap(span, other))) kept.push(span)
  }
  return kept.toSorted((a, b) => a.start - b.start)
}
