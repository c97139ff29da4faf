import { basename } from 'node:path'

/** Whether a command fetches another program and runs it, as npx and uvx do. */
export function isWrapper(command: string): boolean {
  return ['npx', 'uvx', 'bunx', 'pnpx', 'pipx'].includes(programName(command))
}

/** What to do about a command that is not there. */
export function installAdvice(command: string): string {
  const name = programName(command)
  const source = sources[name]
  if (command.includes('/') || command.includes('\\'))
    return `There is no program at ${command}: correct the path, or make the file executable.`
  const install = source === undefined ? `Install "${name}"` : `Install ${source}, which brings "${name}"`
  return `${install}, or write the full path as "command": programs started without a shell may have a shorter PATH.`
}

function programName(command: string): string {
  return basename(command.replaceAll('\\', '/'))
    .replace(/\.(?:exe|cmd|bat)$/i, '')
    .toLowerCase()
}

const node = 'Node.js (https://nodejs.org)'
const uv = 'uv (https://docs.astral.sh/uv)'
const python = 'Python (https://www.python.org)'

const sources: Readonly<Record<string, string>> = {
  node,
  npx: node,
  npm: node,
  uv,
  uvx: uv,
  python,
  python3: python,
  pipx: 'pipx (https://pipx.pypa.io)',
  bun: 'Bun (https://bun.sh)',
  bunx: 'Bun (https://bun.sh)',
  deno: 'Deno (https://deno.com)',
  docker: 'Docker (https://docs.docker.com/get-docker)',
}
