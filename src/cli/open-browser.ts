import { spawn } from 'node:child_process'
import { delimiter } from 'node:path'
import { splitCommand } from '../config/split-command.ts'

export interface BrowserSetup {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
}

/** How long a program that opens browsers may take to say that it cannot; one that stays is the browser itself. */
const verdictMs = 2000

/**
 * Shows a page in the person's browser; resolves to whether that seems to have worked. No shell sees the address, and only
 * addresses of pages are opened: what else an address can start is not for a server to choose.
 */
export async function openBrowser(
  address: string,
  { env, platform = process.platform }: BrowserSetup,
): Promise<boolean> {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false
  for (const command of browserCommands(env, platform)) {
    if (await opens(withAddress(command, url.href), env)) return true
  }
  return false
}

/** `$BROWSER` is a list of commands to try, in which `%s` stands for the address. */
function browserCommands(env: BrowserSetup['env'], platform: NodeJS.Platform): readonly (readonly string[])[] {
  const chosen = (env['BROWSER'] ?? '').split(delimiter).filter((command) => command.trim() !== '')
  if (chosen.length > 0) return chosen.map((command) => splitCommand(command))
  if (platform === 'darwin') return [['open']]
  if (platform === 'win32') return [['rundll32', 'url.dll,FileProtocolHandler']]
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => (env[name] ?? '') !== '')
  return hasScreen ? [['xdg-open'], ['wslview']] : []
}

function withAddress(command: readonly string[], address: string): readonly string[] {
  return command.some((word) => word.includes('%s'))
    ? command.map((word) => word.replaceAll('%s', () => address))
    : [...command, address]
}

function opens([program = '', ...args]: readonly string[], env: BrowserSetup['env']): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...env }, stdio: 'ignore', detached: true, shell: false })
    const timer = setTimeout(resolve, verdictMs, true)
    const settle = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.on('error', () => settle(false))
    child.on('exit', (code) => settle(code === 0))
    child.unref()
  })
}
