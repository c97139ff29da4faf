import { describe, expect, test } from 'vitest'
import type { RawEntry } from '../../src/config/types.ts'
import { findSecrets, looksSecret, maskEntry, maskSecret } from '../../src/policy/secrets.ts'

// Made up for these tests: the shape of a token with a body that nobody issued.
const body = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ0ZXN0ZXIifQ.c2lnbmF0dXJlMTIz'

describe('looksSecret', () => {
  test.each([
    ['ANY', `ghp_${body}`],
    ['ANY', `github_pat_11ABC_${body}`],
    ['ANY', `sk-proj-${body}`],
    ['ANY', `xoxb-1234567890-${body}`],
    ['ANY', 'AKIAQ3EGRSTUVWX7YZ12'],
    ['ANY', jwt],
    ['ANY', `glpat-${body}`],
    ['X-Custom', `Bearer ${body}`],
    ['Authorization', 'Basic dXNlcjpwYXNz'],
    ['Authorization', 'hunter2'],
    ['GITHUB_TOKEN', body],
    ['apiKey', 'abcd1234'],
    ['X-API-Key', 'abcd1234efgh'],
    ['DB_PASSWORD', 'hunter2'],
    ['DATABASE_URL', 'postgresql://me:hunter2@localhost/app'],
    ['url', `https://example.com/mcp?api_key=${body}`],
    ['url', `https://example.com/s/${body}/mcp`],
    ['url', 'https://example.com/s/0123456789abcdef0123456789abcdef/mcp'],
    ['ANY', `{"Authorization": "Bearer ntn_${body}", "Version": "1"}`],
    ['ANY', `\${TOKEN:-ghp_${body}}`],
  ])('%s: a value of this kind is a secret', (name, value) => {
    expect(looksSecret(name, value)).toBe(true)
  })

  test.each([
    ['GITHUB_TOKEN', '${GITHUB_TOKEN}'],
    ['GITHUB_TOKEN', '$GITHUB_TOKEN'],
    ['Authorization', 'Bearer ${input:token}'],
    ['Authorization', 'Bearer {env:TOKEN}'],
    ['API_KEY', '<your api key>'],
    ['API_KEY', 'YOUR_API_KEY'],
    ['API_KEY', 'xxxxxxxx'],
    ['API_KEY', ''],
    ['MAX_TOKENS', '4096'],
    ['USE_API_KEY', 'true'],
    ['TOKEN_FILE', '/home/me/.config/token'],
    ['SECRET_KEY', '/home/me/key.pem'],
    ['NODE_ENV', 'production'],
    ['SERVICE_ACCOUNT_ID', 'd2719b9e-52a4-4a3f-9e3f-2f0c9c5a1b11'],
    ['DATABASE_URL', 'postgresql://localhost/app'],
    ['DATABASE_URL', 'postgresql://me:${PASSWORD}@localhost/app'],
    ['url', 'https://example.com/d2719b9e-52a4-4a3f-9e3f-2f0c9c5a1b11/mcp'],
    ['args', '@modelcontextprotocol/server-sequential-thinking'],
    ['args', 'sk-learn-documentation-server'],
    ['args', '${npm_config_prefix_1234567890}'],
    ['url', 'https://example.com/docs-of-the-typescript-sdk-version-2024/mcp'],
    ['PASS_THROUGH', 'everything'],
    ['COOKIE_DOMAIN', 'example.com'],
    ['PASSWORD_POLICY', 'strict'],
    ['TOKENIZERS_PARALLELISM', 'automatic'],
  ])('%s=%s is no secret', (name, value) => {
    expect(looksSecret(name, value)).toBe(false)
  })
})

test('a mask never shows more than four characters, and nothing of a short secret', () => {
  expect(maskSecret(`ghp_${body}`)).toBe('ghp_****')
  expect(maskSecret('hunter2')).toBe('****')
})

test('an entry is masked in env, headers, args, url and unknown fields, and keeps everything else', () => {
  const entry: RawEntry = {
    command: 'docker',
    args: [
      'run',
      '-e',
      `API_KEY=${body}`,
      '--api-key',
      body,
      `--token=${body}`,
      'image',
      'Authorization: Bearer ${T}',
      `X-Key:${body}`,
    ],
    env: { GITHUB_TOKEN: `ghp_${body}`, NODE_ENV: 'production', OTHER: '${OTHER}' },
    headers: { Authorization: `Bearer sk-${body}` },
    url: `https://me:hunter2@example.com/mcp?region=eu&token=${body}`,
    oauth: { clientId: 'capstan', clientSecret: 'hunter2hunter2hunter2' },
    timeout: 30,
  }

  expect(maskEntry(entry)).toEqual({
    command: 'docker',
    args: [
      'run',
      '-e',
      'API_KEY=Ab3d****',
      '--api-key',
      'Ab3d****',
      '--token=Ab3d****',
      'image',
      'Authorization: Bearer ${T}',
      'X-Key:Ab3d****',
    ],
    env: { GITHUB_TOKEN: 'ghp_****', NODE_ENV: 'production', OTHER: '${OTHER}' },
    headers: { Authorization: 'Bearer sk-A****' },
    url: 'https://me:****@example.com/mcp?region=eu&token=Ab3d****',
    oauth: { clientId: 'capstan', clientSecret: 'hunt****' },
    timeout: 30,
  })
})

test('each secret is found once, with the field and the name it stands under', () => {
  const spots = findSecrets({
    command: 'npx',
    args: ['--api-key', body],
    env: { GITHUB_TOKEN: `ghp_${body}` },
    headers: { Authorization: `Bearer ${body}` },
    url: `https://example.com/mcp?key=${body}`,
  })

  expect(spots.map(({ field, label }) => `${field} ${label}`)).toEqual([
    'args --api-key',
    'env GITHUB_TOKEN',
    'headers Authorization',
    'url key',
  ])
})
