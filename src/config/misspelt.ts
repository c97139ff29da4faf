/** The fields of an entry that mean something to Capstan. */
export const ownFields = [
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'type',
  'oauth',
  'disabled',
  'timeout',
  'maxTimeout',
  'startTimeout',
  'lifecycle',
  'idle',
  'share',
  'retry',
  'replicas',
  'urls',
  'concurrency',
  'fallback',
  'sampling',
  'roots',
  'alwaysAllow',
  'trustHints',
  'deny',
  'tools',
  'description',
] as const

/** Other names under which clients and people write our fields. */
const aliases = new Map([
  ['cmd', 'command'],
  ['arguments', 'args'],
  ['environment', 'env'],
  ['enviroment', 'env'],
  ['workdir', 'cwd'],
  ['workingdirectory', 'cwd'],
  ['serverurl', 'url'],
  ['httpurl', 'url'],
  ['uri', 'url'],
  ['endpoint', 'url'],
  ['httpheaders', 'headers'],
  ['transport', 'type'],
  ['transporttype', 'type'],
  ['includetools', 'tools.include'],
  ['enabledtools', 'tools.include'],
  ['excludetools', 'tools.exclude'],
  ['disabledtools', 'tools.exclude'],
])

/** Fields that other clients define: kept, ignored, and no mistake. */
const foreignFields = new Set(
  `auth authProviderType autoApprove autostart bearer_token_env_var comment dev displayName enabled env_vars envFile
  gallery icon icons id label lifecycle name note notes priority required sandbox sandboxEnabled scopes
  settings share source tags title trust version`.split(/\s+/),
)

/** The field of ours that an unknown field was probably meant to be. */
export function meantField(field: string, fields: readonly string[] = ownFields): string | undefined {
  if (fields.includes(field) || foreignFields.has(field) || isRemark(field)) return undefined
  const plain = simplify(field)
  const alias = fields === ownFields ? aliases.get(plain) : undefined
  return alias ?? fields.find((own) => isNear(plain, simplify(own)))
}

/** JSON has no comments, so people write `"_note"` and `"//"`. */
function isRemark(field: string): boolean {
  return /^(?:[_$#]|\/\/|x-)/.test(field)
}

function simplify(field: string): string {
  return field.replace(/[-_]/g, '').toLowerCase()
}

/** In a name of three or four letters two slips are another word. */
function isNear(a: string, b: string): boolean {
  return editDistance(a, b) <= (b.length <= 4 ? 1 : 2)
}

/** How many letters were left out, added, mistaken or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? Infinity) + 1 : Infinity
      const mistaken = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, mistaken, swapped))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
