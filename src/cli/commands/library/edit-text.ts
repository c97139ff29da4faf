import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CapstanError } from '../../../errors.ts'
import { places } from '../../../files/places.ts'
import { ask } from '../../ask.ts'
import type { Io } from '../../command.ts'
import { plainText } from '../../../policy/plain-text.ts'
import type { LibraryContext } from './subcommand.ts'

export interface EditRequest<Saved> {
  /** What the file is called after; a checked name. */
  readonly name: string
  readonly text: string
  readonly save: (text: string) => Promise<Saved>
  /** The command that takes the kept text up again, without the file's name. */
  readonly resume: string
}

/**
 * Lets a person edit a text in their editor and saves it. A text that cannot be saved is offered again, and else kept, with its
 * place in the error: what somebody has written is never lost. Undefined when nothing was changed.
 */
export async function editText<Saved>(
  context: LibraryContext,
  request: EditRequest<Saved>,
): Promise<Saved | undefined> {
  const { io, flags, signal } = context
  const editor = editorOf(io)
  const file = await startDraft(io, request)
  for (;;) {
    await runEditor(editor, file, request.text)
    const text = await readFile(file, 'utf8')
    if (text === request.text) {
      await rm(file)
      return undefined
    }
    try {
      const saved = await request.save(text)
      await rm(file)
      return saved
    } catch (error) {
      if (!(error instanceof CapstanError)) throw keptAfterBug(file, error)
      if (!flags.mayAsk) throw kept(error, file, request)
      io.err(`${plainText(error.message)}${error.next === undefined ? '' : ` ${plainText(error.next)}`}\n`)
      const answer = await ask(io, 'Edit it again?', { choices: ['yes', 'no'], default: 'yes', signal })
      if (answer === 'no') throw kept(error, file, request)
    }
  }
}

function editorOf({ env, stdinIsTerminal }: Io): string {
  const chosen = env['VISUAL'] || env['EDITOR']
  if (chosen) return chosen
  if (stdinIsTerminal) return process.platform === 'win32' ? 'notepad' : 'vi'
  throw new CapstanError('usage', 'There is no text, and no terminal to write it on.', {
    next: 'Give --text "…" or --file FILE, or set EDITOR.',
  })
}

/** Not in the temporary folder: a draft may have to survive until somebody has time for it. */
async function startDraft(io: Io, { name, text }: { readonly name: string; readonly text: string }): Promise<string> {
  const folder = join(places(io.env).state, 'drafts')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${name}-${randomBytes(3).toString('hex')}.md`)
  await writeFile(file, text, { mode: 0o600, flag: 'wx' })
  return file
}

async function runEditor(editor: string, file: string, before: string): Promise<void> {
  // As git does it: the variable may hold arguments (`code --wait`), so a shell takes it apart.
  const [program, args] =
    process.platform === 'win32' ? [`${editor} "${file}"`, []] : ['sh', ['-c', `${editor} "$@"`, 'capstan', file]]
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', shell: process.platform === 'win32' })
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  const isUntouched = (await readFile(file, 'utf8')) === before
  if (isUntouched) await rm(file)
  throw new CapstanError(
    'usage',
    `The editor (${editor}) ended with code ${code}, so nothing was saved.${isUntouched ? '' : ` Your text is kept in ${file}.`}`,
    { next: 'Set EDITOR to a program that waits until you are done, such as vi or "code --wait".' },
  )
}

function kept(error: CapstanError, file: string, { resume }: { readonly resume: string }): CapstanError {
  return new CapstanError(error.code, `${error.message} Nothing was saved; your text is kept in ${file}.`, {
    cause: error,
    next: `${error.next ?? 'Mend it.'} Then: ${resume} --file ${file}`,
  })
}

function keptAfterBug(file: string, error: unknown): Error {
  return new Error(`Saving failed; your text is kept in ${file}.`, { cause: error })
}
