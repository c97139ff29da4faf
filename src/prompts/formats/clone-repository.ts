import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CapstanError, messageOf, stopped } from '../../errors.ts'
import { hasCode } from '../../files/atomic-write.ts'

export interface CloneOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
}

interface Clone extends AsyncDisposable {
  readonly path: string
}

/** Whether a source is a git address and not a path: with a scheme, or as `name@host:path`. */
export function isRepositoryAddress(source: string): boolean {
  return /^(?:https?|ssh|git|file):\/\//i.test(source) || /^[\w.-]+@[\w.-]+:/.test(source)
}

/** The newest commit of a repository, in a folder that is gone at the end of the scope. `ADDRESS#BRANCH` takes another branch. */
export async function cloneRepository(address: string, { env, signal }: CloneOptions): Promise<Clone> {
  const [url = '', branch] = address.split('#')
  const path = await mkdtemp(join(tmpdir(), 'capstan-clone-'))
  const remove = () => rm(path, { recursive: true, force: true })
  try {
    // A local path knows no depth, and copies everything.
    const from = isRepositoryAddress(url) ? url : `file://${url}`
    await runGit(
      [...safely, 'clone', ...little, ...(branch === undefined ? [] : ['--branch', branch]), '--', from, path],
      {
        env,
        ...(signal === undefined ? {} : { signal }),
      },
    )
  } catch (error) {
    await remove()
    throw signal?.aborted === true ? stopped(signal, `cloning ${address}`) : failed(address, error)
  }
  return { path, [Symbol.asyncDispose]: remove }
}

// Nothing of theirs may run, and no link may lead out of the folder.
const safely = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.symlinks=false', '-c', 'core.fsmonitor=false']
const little = ['--quiet', '--depth', '1', '--single-branch', '--no-tags', '--template=']

async function runGit(args: readonly string[], { env, signal }: CloneOptions): Promise<void> {
  const quiet = {
    GIT_TERMINAL_PROMPT: '0',
    // Other protocols can name programs to run.
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
  }
  await new Promise<void>((resolve, reject) => {
    execFile(
      'git',
      [...args],
      { env: { ...env, ...quiet }, ...(signal === undefined ? {} : { signal }) },
      (error, _, said) => {
        if (error === null) resolve()
        else reject(hasCode(error, 'ENOENT') ? error : new Error(said.trim().split('\n').at(-1) || messageOf(error)))
      },
    )
  })
}

function failed(address: string, error: unknown): CapstanError {
  return hasCode(error, 'ENOENT')
    ? new CapstanError('usage', `${address} is a git repository, and git is not installed.`, {
        cause: error,
        next: 'Install git, or give a folder.',
      })
    : new CapstanError('transport_failed', `${address} could not be cloned: ${messageOf(error)}.`, {
        cause: error,
        next: `Try it by hand: git clone ${address}`,
      })
}
