import { authStore } from '../../../src/hub/auth/auth-store.ts'

// Changes logins without end, until it is killed.
const [, , folder = ''] = process.argv
const store = authStore({ folder })
for (let round = 0; ; round++) {
  const tokens = { access_token: `${round}-`.repeat(20_000), token_type: 'Bearer' }
  const login = { issuer: 'https://a', authorizationServerUrl: 'https://a', clientId: 'c', tokens }
  await store.change(`https://server.example/${round % 5}`, () => ({ login }))
  if (round === 5) process.send?.('started')
}
