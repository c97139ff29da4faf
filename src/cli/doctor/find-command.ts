import { access, constants, stat } from 'node:fs/promises'
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path'

export interface CommandPlace {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

/** The file a command would run, as the system looks it up; undefined when there is none. */
export async function findCommand(command: string, { cwd, env, platform }: CommandPlace): Promise<string | undefined> {
  const isPath = isAbsolute(command) || command.includes('/') || (platform === 'win32' && command.includes('\\'))
  const folders = isPath ? [''] : pathFolders(env)
  const endings = platform === 'win32' && extname(command) === '' ? windowsEndings(env) : ['']
  for (const folder of folders) {
    for (const ending of endings) {
      const file = isPath ? resolve(cwd, command + ending) : join(resolve(cwd, folder), command + ending)
      if (await isExecutable(file)) return file
    }
  }
  return undefined
}

function pathFolders(env: CommandPlace['env']): readonly string[] {
  // Windows spells it "Path".
  return (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '')
}

function windowsEndings(env: CommandPlace['env']): readonly string[] {
  return (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';')
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    // Absent or not ours to run: either way it is not the command.
    return false
  }
}
