import { expect, test } from 'vitest'
import { maskText } from '../../src/cli/mask-text.ts'

const token = 'ghp_Kd93jfLq02mZx81Vb7Rt5Yw6Nh4Pc2Ts0Ga'

test.each([
  ['{"env": {"API_KEY": "q8Rt2Lm5Zx7Vb3Nc9Kd1"}}', '{"env": {"API_KEY": "q8Rt****"}}'],
  ['"args": ["--api-key", "q8Rt2Lm5Zx7Vb3Nc9Kd1", "plain"]', '"args": ["--api-key", "q8Rt****", "plain"]'],
  [`"args": [\n  "--token",\n  "${token}"\n]`, '"args": [\n  "--token",\n  "ghp_****"\n]'],
  ["API_KEY = 'q8Rt2Lm5Zx7Vb3Nc9Kd1'", "API_KEY = 'q8Rt****'"],
  ['url = "postgres://ada:s3cr3t-pw@localhost/x"', 'url = "postgres://ada:****@localhost/x"'],
  [
    '{"API_KEY": "${API_KEY}", "path": "/bin"} // it\'s fine',
    '{"API_KEY": "${API_KEY}", "path": "/bin"} // it\'s fine',
  ],
])('%j is shown as %j', (text, shown) => {
  expect(maskText(text)).toBe(shown)
})
