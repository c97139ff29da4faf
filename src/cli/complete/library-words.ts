import { formatIds, slashClientIds } from '../../prompts/formats/ids.ts'
import type { StoredPrompt } from '../../prompts/store.ts'
import { subcommands } from '../commands/library/subcommands.ts'
import type { Given } from './find-hole.ts'
import { files, nothing, plain, words, type Candidate, type Offer } from './offer.ts'

interface LibraryHole {
  readonly typed: string
  readonly given: Given
  readonly prompts: () => Promise<readonly StoredPrompt[]>
}

/** What may follow `capstan library`: a command, then what that takes. */
export async function libraryWords({ typed, given, prompts }: LibraryHole): Promise<Offer> {
  const [command, ...before] = given.positionals
  switch (command) {
    case undefined:
      return words(Object.entries(subcommands).map(([value, { summary }]) => ({ value, about: summary })))
    case 'show':
      return before.length === 0
        ? words(namesOf(await prompts()))
        : offerArguments(before, typed, given.flags.has('render') ? await prompts() : [])
    case 'edit':
    case 'rename':
    case 'history':
    case 'diff':
    case 'restore':
    case 'label':
      return before.length === 0 ? words(namesOf(await prompts())) : nothing
    case 'remove':
    case 'validate':
      return words(namesOf(await prompts(), before))
    case 'import':
      return before.length === 0 ? files() : nothing
    case 'export':
    case 'sync':
      return before.length === 0
        ? words(plain(command === 'sync' ? slashClientIds : formatIds))
        : words(namesOf(await prompts(), before))
    default:
      return nothing
  }
}

function namesOf(prompts: readonly StoredPrompt[], given: readonly string[] = []): readonly Candidate[] {
  return prompts
    .filter(({ prompt }) => !given.includes(prompt.name))
    .map(({ prompt }) => ({ value: prompt.name, about: prompt.title ?? prompt.description }))
}

/** `name=` for each argument that has no value yet; behind it the values that it may have. */
function offerArguments([name, ...pairs]: readonly string[], typed: string, prompts: readonly StoredPrompt[]): Offer {
  const declared = prompts.find(({ prompt }) => prompt.name === name)?.prompt.arguments ?? []
  const [key = '', value] = typed.split('=')
  const known = declared.find((argument) => argument.name === key)
  if (value !== undefined) {
    return value.startsWith('@') ? files(`${key}=@`) : words(plain(known?.enum ?? known?.examples ?? []), `${key}=`)
  }
  const open = declared.filter((argument) => !pairs.some((pair) => pair.startsWith(`${argument.name}=`)))
  return words(open.map((argument) => ({ value: `${argument.name}=`, about: argument.description })))
}
