import { kindOf } from './fields.ts'
import type { OauthSettings } from './types.ts'
import { isObject } from '../json.ts'

export interface ReadOauth {
  readonly oauth?: OauthSettings | false
  /** What could not be read. Other clients keep their own settings under this name, so none of it bars the server. */
  readonly problems: readonly string[]
}

/** Reads the field `oauth` of an entry. */
export function readOauth(raw: unknown): ReadOauth {
  if (raw === undefined) return { problems: [] }
  if (raw === false) return { oauth: false, problems: [] }
  if (!isObject(raw)) return { problems: [`"oauth" must be an object or false, but is ${kindOf(raw)}; it is ignored.`] }
  const problems: string[] = []
  const take = <Value>(field: string, read: (value: unknown) => Value | undefined, expected: string) => {
    if (!Object.hasOwn(raw, field)) return {}
    const value = read(raw[field])
    if (value !== undefined) return { [field]: value }
    problems.push(`"oauth.${field}" must be ${expected}, but is ${kindOf(raw[field])}; it is ignored.`)
    return {}
  }
  const scopes = asScopes(raw['scopes'] ?? raw['scope'])
  if (scopes === undefined) problems.push('"oauth.scopes" must be a list of texts; it is ignored.')
  const oauth: OauthSettings = {
    grant: 'code',
    ...take('grant', asGrant, '"code" or "client_credentials"'),
    ...Object.assign({}, ...textFields.map((field) => take(field, asFilledText, 'a text'))),
    ...take('callbackPort', asPort, 'a port from 1 to 65535'),
    ...(scopes === undefined || scopes.length === 0 ? {} : { scopes }),
  }
  return { oauth, problems }
}

/** `scope` is how others write `scopes`. */
export const oauthFields = [
  'grant',
  'clientId',
  'clientSecret',
  'clientMetadataUrl',
  'scopes',
  'scope',
  'issuer',
  'privateKey',
  'privateKeyAlgorithm',
  'callbackPort',
] as const

const textFields = [
  'clientId',
  'clientSecret',
  'clientMetadataUrl',
  'issuer',
  'privateKey',
  'privateKeyAlgorithm',
] as const

/** Fills in the texts of the settings; `fillIn` gets the name of the field after the text. */
export async function fillInOauth(
  oauth: OauthSettings,
  fillIn: (text: string, field: string) => Promise<string>,
): Promise<OauthSettings> {
  const texts = textFields.map(async (field) => {
    const text = oauth[field]
    return text === undefined ? {} : { [field]: await fillIn(text, field) }
  })
  const scopes = oauth.scopes?.map((scope, index) => fillIn(scope, `scopes[${index}]`))
  return Object.assign(
    {},
    oauth,
    ...(await Promise.all(texts)),
    scopes === undefined ? {} : { scopes: await Promise.all(scopes) },
  ) as OauthSettings
}

function asGrant(value: unknown): OauthSettings['grant'] | undefined {
  return (['code', 'client_credentials'] as const).find((grant) => grant === value)
}

function asFilledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function asPort(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536 ? value : undefined
}

/** Other clients write one text, with blanks in between. */
function asScopes(value: unknown): readonly string[] | undefined {
  if (value === undefined) return []
  if (typeof value === 'string') return value.split(/\s+/).filter((scope) => scope !== '')
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}
