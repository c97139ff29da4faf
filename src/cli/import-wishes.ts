import { clientIds, type ClientId } from '../config/import/clients.ts'
import { CapstanError } from '../errors.ts'
import { clientNamed } from './client-named.ts'
import type { CommandContext, CommandInput } from './command.ts'

/** What a person asked `capstan import` for. */
export interface ImportWishes {
  readonly wanted: readonly ClientId[]
  readonly all: boolean
  readonly names: readonly string[]
  readonly project: boolean
  readonly rename: boolean
  readonly moveSecrets: boolean
}

/** Reads the arguments of `capstan import`; what contradicts itself or would do nothing is refused. */
export function wishesOf({ flags }: CommandContext, { values, positionals }: CommandInput): ImportWishes {
  const names = [values['servers'] ?? []].flat().flatMap((list) => String(list).split(','))
  const wishes = {
    wanted: positionals.length === 0 ? clientIds : positionals.map(clientNamed),
    all: values['all'] === true,
    names: names.map((name) => name.trim()).filter((name) => name !== ''),
    project: values['project'] === true,
    rename: values['rename'] === true,
    moveSecrets: values['move-secrets'] === true,
  }
  if (wishes.all && wishes.names.length > 0) {
    throw new CapstanError('usage', '--all and --servers exclude each other: copy all servers, or name some.')
  }
  const copies = wishes.all || wishes.names.length > 0 || (flags.mayAsk && !flags.json)
  if (!copies && (wishes.project || wishes.rename || wishes.moveSecrets)) {
    const flag = wishes.project ? '--project' : wishes.rename ? '--rename' : '--move-secrets'
    throw new CapstanError('usage', `${flag} says how to copy, but nothing is to be copied.`, {
      next: 'Add --all, or --servers with the names.',
    })
  }
  return wishes
}
