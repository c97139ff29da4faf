import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { publishedTools } from '../test/cli/published-tools.ts'
import { openGround } from './ground.ts'
import type { Row } from './table.ts'

/** What a model pays to know the tools of the three published servers, counted with the tokenizer of a current model. */
export async function benchTokens(): Promise<readonly Row[]> {
  await using ground = openGround({ daemon: 'off' })
  const { tools, listings } = await publishedTools(ground.folder)
  const three = ['everything', 'filesystem', 'memory']
  const declarations = await ground.capstan('list', ...three, '--ts', '--fresh', '--config', ground.config)
  const missing = tools.filter(({ tool }) => !declarations.includes(tool))
  if (missing.length > 0) throw new Error(`\`list --ts\` lacks ${missing.map(({ id }) => id).join(', ')}`)

  const raw = listings.reduce((sum, listing) => sum + encode(listing).length, 0)
  const row = (work: string, text: string): Row => {
    const tokens = encode(text).length
    const ratio = tokens / raw
    const floor = `raw listing of ${tools.length} tools`
    return { work, floor, unit: 'tokens', floorValue: raw, oursValue: tokens, ratio, spread: [ratio, ratio] }
  }
  return [
    { ...row('tools as `list --ts` shows them', declarations), target: 0.16 },
    row('names of tools only', tools.map(({ id }) => id).join('\n')),
  ]
}
