import { fixture } from '../fixtures/fixture.ts'
import { world, type Outcome, type World } from './cli.ts'
import { shellEnvironment } from './shell.ts'

export interface CompletionPlace extends World {
  readonly env: Readonly<Record<string, string>>
  /** What a shell's script would be told. */
  readonly ask: (line: string, options?: { readonly env?: Readonly<Record<string, string>> }) => Promise<Outcome>
}

/** A home whose servers have been seen once, with some files to name. */
export async function completionPlace(
  mcpServers: Readonly<Record<string, unknown>> = { one: fixture('echo') },
): Promise<CompletionPlace> {
  const home = await world()
  const env = await shellEnvironment(home)
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers },
    'README.md': 'read me',
    'my notes.txt': 'notes',
    'docs/a.md': 'a',
  })
  await home.capstan(['list', '--all'], { env })
  const ask: CompletionPlace['ask'] = (line, options = {}) =>
    home.capstan(['completion', 'zsh', `--line=${line}`], { env: { ...env, ...options.env } })
  return { ...home, env, ask }
}
